//go:build linux && (amd64 || arm64) && cgo

package export_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// Somebody else's program gets the core and the modules that are released with it from a module proxy: without this tree, its
// replace directives and its packages' tests. The proxy is made of the tree here, and is a folder. What the modules need beyond
// each other comes from the downloads of this machine. A few go.mod files may be missing there: a new program reads more of them
// than this tree's modules, which list all that they need. Those are fetched from where GOPROXY says. The core's case alone takes
// 3 s of processor time, and 19 after each change of the core, whose C the go command compiles anew for another module: too much
// for make test.
func TestConsumer(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	proxy := newProxy(t)
	for name, c := range map[string]struct {
		requires []string
		about    string
		judge    func(t *testing.T, dir, out string)
	}{
		"core":   {[]string{"github.com/cgoheap/cgoheap"}, "records and writes a profile", judgeProfile},
		"export": {[]string{"github.com/cgoheap/cgoheap", "github.com/cgoheap/cgoheap/export"}, "delivers to Pyroscope and Parca", judgeDelivery},
		"otlp": {[]string{"github.com/cgoheap/cgoheap", "github.com/cgoheap/cgoheap/export", "github.com/cgoheap/cgoheap/otlp"},
			"delivers by OTLP", judgeOTLP},
		"metrics": {[]string{"github.com/cgoheap/cgoheap", "github.com/cgoheap/cgoheap/metrics"}, "has metrics in its registry", judgeMetrics},
	} {
		t.Run("it "+c.about, func(t *testing.T) {
			dir := t.TempDir()
			source, err := os.ReadFile(filepath.Join("testdata", "consumer", name+".go"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "main.go"), source)
			mod := "module example.com/service\n\ngo 1.25.0\n"
			for _, module := range c.requires {
				mod += fmt.Sprintf("\nrequire %s %s\n", module, proxy.version)
			}
			write(t, filepath.Join(dir, "go.mod"), []byte(mod))
			proxy.run(t, dir, "go", "build", "-trimpath", "-o", "service", ".")
			if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || strings.Contains(string(text), "replace") {
				t.Errorf("%s, %v", text, err)
			}
			c.judge(t, dir, proxy.run(t, dir, "./service"))
		})
	}
}

func judgeProfile(t *testing.T, dir, _ string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "profile.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(p.Sample, func(s *profile.Sample) bool {
		return slices.Equal(s.Value, []int64{1, 12345, 1, 12345}) && slices.ContainsFunc(s.Location, calls("main.allocate"))
	}) {
		t.Errorf("no block of main.allocate is in\n%v", p)
	}
}

func judgeDelivery(t *testing.T, _, out string) {
	t.Helper()
	for _, want := range []string{"pyroscope: profiles arrived", "parca: profiles arrived"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

func judgeOTLP(t *testing.T, _, out string) {
	t.Helper()
	if !strings.Contains(out, "otlp: profiles arrived") {
		t.Error(out)
	}
}

func judgeMetrics(t *testing.T, _, out string) {
	t.Helper()
	if !strings.Contains(out, "cgoheap_up 1\n") || !strings.Contains(out, "cgoheap_native_in_use_bytes ") {
		t.Error(out)
	}
}

func calls(function string) func(*profile.Location) bool {
	return func(l *profile.Location) bool {
		return slices.ContainsFunc(l.Line, func(line profile.Line) bool { return line.Function.Name == function })
	}
}

// A moduleProxy is a folder laid out as the protocol of module proxies says, with one version of each module.
type moduleProxy struct{ dir, version, modules string }

func newProxy(t *testing.T) *moduleProxy {
	t.Helper()
	p := &moduleProxy{dir: t.TempDir(), version: requiredCore(t), modules: t.TempDir()}
	p.add(t, "github.com/cgoheap/cgoheap", "..")
	p.add(t, "github.com/cgoheap/cgoheap/export", ".")
	p.add(t, "github.com/cgoheap/cgoheap/metrics", "../metrics")
	p.add(t, "github.com/cgoheap/cgoheap/otlp", "../otlp")
	return p
}

// requiredCore is the version of the core that this module requires, which is the one that is released with it.
func requiredCore(t *testing.T) string {
	t.Helper()
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\s*github\.com/cgoheap/cgoheap (v\d+\.\d+\.\d+)$`).FindSubmatch(mod)
	if found == nil {
		t.Fatal("go.mod requires no release of the core")
	}
	return string(found[1])
}

func (p *moduleProxy) add(t *testing.T, module, dir string) {
	t.Helper()
	at := filepath.Join(p.dir, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(at, "list"), []byte(p.version+"\n"))
	write(t, filepath.Join(at, p.version+".mod"), mod)
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, p.version, time.Unix(1e9, 0).UTC().Format(time.RFC3339))
	write(t, filepath.Join(at, p.version+".info"), []byte(info))
	write(t, filepath.Join(at, p.version+".zip"), zipOf(t, module+"@"+p.version+"/", dir))
}

// zipOf has the files of a module that are in the repository, or are new: not what builds and tests leave behind, and no
// module below it.
func zipOf(t *testing.T, prefix, dir string) []byte {
	t.Helper()
	list := exec.Command("git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard", ".")
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		t.Skipf("this is no git checkout, and git lists the files of a module: %v", err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	var below []string
	for _, file := range files {
		if filepath.Base(file) == "go.mod" && file != "go.mod" {
			below = append(below, strings.TrimSuffix(file, "go.mod"))
		}
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, file := range files {
		if slices.ContainsFunc(below, func(module string) bool { return strings.HasPrefix(file, module) }) {
			continue
		}
		pack(t, z, prefix+file, filepath.Join(dir, file))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func pack(t *testing.T, z *zip.Writer, name, path string) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() { // one that was removed, or a link, which modules do not have
		return
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, f); err != nil {
		t.Fatal(err)
	}
}

// run runs a command as it would run on a machine that has the proxies and nothing else.
func (p *moduleProxy) run(t *testing.T, dir, name string, arguments ...string) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	downloads, proxies, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	command := exec.Command(name, arguments...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOMODCACHE="+p.modules, "GOFLAGS=-mod=mod -modcacherw", "GOWORK=off", "GOTOOLCHAIN=local",
		"GOSUMDB=off", "GOPRIVATE=", "GONOPROXY=", "GOVCS=*:off",
		"GOPROXY=file://"+p.dir+",file://"+filepath.Join(downloads, "cache", "download")+","+proxies)
	out, err = command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
