//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// What docs/allocators.md says of another prefix is done, by a module of its own that requires this one.
func TestAnotherPrefixIsHookedAsTheDocumentSays(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	const root = "../.."
	toolchain.Target(t).Tool(t, "gcc")
	dir := t.TempDir()
	for to, from := range map[string]string{"main.go": "testdata/prefix/main.go", "allocator.c": "testdata/prefix/allocator.c",
		"bump.h": "../victim/bump.h", "go.sum": root + "/go.sum"} {
		writeFile(t, filepath.Join(dir, to), []byte(read(t, from)))
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/cgoheap/cgoheap"
	text := strings.Replace(read(t, root+"/go.mod"), "module "+module, "module prefix", 1)
	writeFile(t, filepath.Join(dir, "go.mod"), []byte(text+"\nrequire "+module+" v0.0.0\nreplace "+module+" => "+here+"\n"))
	_, script, _ := strings.Cut(read(t, root+"/docs/allocators.md"), "```sh\n")
	script, _, found := strings.Cut(script, "```\n")
	if !found || !strings.Contains(script, "\ngo build\n") {
		t.Fatal("the document has no commands")
	}
	run := func(command string) string {
		c := exec.Command("sh", "-ec", command)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	run(script)
	if got := strings.TrimSpace(run("./prefix")); got != "60000" {
		t.Errorf("%s bytes of the allocator are in use, want 60000", got)
	}
	if err := os.Remove(filepath.Join(dir, "cgoheap_wrap.go")); err != nil {
		t.Fatal(err)
	}
	run("go build")
	if got := strings.TrimSpace(run("./prefix")); got != "0" {
		t.Errorf("without the file, %s bytes are seen", got)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
