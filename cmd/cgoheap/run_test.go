//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

var workshop *toolchain.Workshop

func TestMain(m *testing.M) { toolchain.RunWith(&workshop, m) }

// forRuns prepares a folder to write to, which becomes the working directory, and one for tables. The library is compiled once.
func forRuns(t *testing.T) (tables string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", filepath.Dir(workshop.Path("cache")))
	t.Setenv("LD_PRELOAD", "")
	program(t)
	t.Chdir(t.TempDir())
	return toolchain.Memory(t)
}

// program returns testdata/held.c, compiled: "held WHAT…" has 1,000,003 bytes in use in one block, made by hold_block.
func program(t *testing.T) string {
	t.Helper()
	return compiled(t, "held")
}

func compiled(t *testing.T, name string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc (Debian: gcc)")
	}
	path, err := workshop.Make(name, func(path string) error {
		return toolchain.Tool{Words: append([]string{"gcc", "-g", "-O1", "-Wl,--build-id", "-o", path, "testdata/held.c"}, flags...)}.Run()
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// ranProgram runs the command, with each allocation recorded, and expects no tables to be left.
func ranProgram(t *testing.T, arguments ...string) (code int, out, trouble string) {
	t.Helper()
	tables := forRuns(t)
	code, out, trouble = ranWith(t, "", slices.Concat([]string{"run", "-exact", "-tables", tables}, arguments)...)
	if left, err := os.ReadDir(tables); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", err, left)
	}
	return code, out, trouble
}

func parsed(t *testing.T, path string) *profile.Profile {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return profiletest.Parse(t, f)
}

// inUseBy returns the bytes in use in stacks through a function.
func inUseBy(p *profile.Profile, function string) (bytes int64) {
	for _, s := range p.Sample {
		if slices.Contains(profiletest.Functions(s), function) {
			bytes += s.Value[len(s.Value)-1]
		}
	}
	return bytes
}

func TestAProgramRunsAsWithoutAndIsSummedUp(t *testing.T) {
	for how, c := range map[string]struct {
		code int
		ends string
	}{
		"exit":  {7, "exited with status 7"},
		"good":  {0, "exited with status 0"},
		"kill":  {137, "was killed by signal 9 (killed)"},
		"crash": {139, "crashed with signal 11 (segmentation fault)"},
		"abort": {134, "crashed with signal 6 (aborted)"},
		"term":  {143, "was killed by signal 15 (terminated)"},
	} {
		code, out, trouble := ranProgram(t, "-o", "p.pb.gz", program(t), how)
		if code != c.code || out != "out\n" || !strings.HasPrefix(trouble, "err\ncgoheap: "+program(t)+", process ") {
			t.Errorf("%s: exit code %d, %q, %q", how, code, out, trouble)
		}
		for _, says := range []string{c.ends + " after ", "at the peak  9", "977 KiB  100 %  hold_block\n", "and 3 MiB of addresses mapped directly", "the profile is p.pb.gz: cgoheap view p.pb.gz\n"} {
			if !strings.Contains(trouble, says) {
				t.Errorf("%s: %q is not in %s", how, says, trouble)
			}
		}
		if n := inUseBy(parsed(t, "p.pb.gz"), "hold_block"); n != 1_000_003 {
			t.Errorf("%s: %d bytes", how, n)
		}
	}
}

func TestTheProfileHasTheNameThatDumpGives(t *testing.T) {
	forRuns(t)
	code, _, trouble := ranWith(t, "", "run", "-tables", toolchain.Memory(t), "-view", "peak", program(t), "good")
	files, err := filepath.Glob("cgoheap.*.peak.pb.gz")
	if code != 0 || err != nil || len(files) != 1 || !strings.Contains(trouble, files[0]) || !strings.Contains(trouble, "estimates from a sample each 512 KiB, ") {
		t.Errorf("exit code %d, %q, %q", code, files, trouble)
	}
}

func TestTheSummaryAsJSON(t *testing.T) {
	_, _, trouble := ranProgram(t, "-json", "-o", "p.pb.gz", program(t), "exit")
	lines := strings.Split(strings.TrimSpace(trouble), "\n")
	var s summary
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil {
		t.Fatal(err, trouble)
	}
	if s.ExitCode != 7 || s.File != "p.pb.gz" || s.InUseBytes < 1_000_003 || s.InUseBlocks < 1 || s.MappedBytes != 3<<20 || len(s.AtEnd) == 0 || s.AtEnd[0] != (holding{"hold_block", "", 1_000_003}) {
		t.Errorf("%+v", s)
	}
}

func TestTheSummaryAsJSONIsALineOfItsOwn(t *testing.T) {
	_, _, trouble := ranProgram(t, "-json", "-o", "p.pb.gz", "sh", "-c", "printf 'the last line has no end' >&2")
	lines := strings.Split(strings.TrimSuffix(trouble, "\n"), "\n")
	var s summary
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil || s.File != "p.pb.gz" || lines[0] != "the last line has no end" {
		t.Errorf("%v, %q", err, trouble)
	}
}

func TestAReportOfARun(t *testing.T) {
	code, _, trouble := ranProgram(t, "-o", "p.pb.gz", "-report", "r.html", program(t), "exit")
	if code != 7 || !strings.Contains(trouble, "the report is r.html, for any browser\n") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
	answers := answersOfReport(t, "r.html")
	var about page.About
	if err := json.Unmarshal(answers["about  "], &about); err != nil || len(about.Ended) != 2 || !strings.Contains(about.Ended[0], "exited with status 7") ||
		!strings.Contains(string(answers["stacks inuse_space "]), "hold_block") {
		t.Errorf("%v, %+v", err, about)
	}
	if code, _, trouble := ranWith(t, "", "run", "-report", "r.html", "true"); code != exitUnreadable || !strings.Contains(trouble, "r.html is there already: ") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
}

func TestSignalsArePassedOn(t *testing.T) {
	for _, signal := range []string{"HUP", "TERM", "USR1", "USR2"} {
		code, _, trouble := ranProgram(t, "sh", "-c", "trap 'exit 9' "+signal+"; kill -"+signal+" $PPID; while :; do sleep 0.1; done")
		if code != 9 {
			t.Errorf("%s: exit code %d, %q", signal, code, trouble)
		}
	}
}

// A shell that executes a program is one process with it; so is a script with its interpreter.
func TestAScriptThatExecutesTheProgram(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec "+program(t)+" exit\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	code, out, trouble := ranProgram(t, "-o", "p.pb.gz", script)
	if code != 7 || out != "out\n" || !strings.Contains(trouble, "cgoheap: "+program(t)) || inUseBy(parsed(t, "p.pb.gz"), "hold_block") != 1_000_003 {
		t.Errorf("exit code %d, %q, %q", code, out, trouble)
	}
}

func TestChildrenHaveProfilesOfTheirOwn(t *testing.T) {
	for children, want := range map[string]int{"none": 0, "held": 2, "all": 2} {
		line := fmt.Sprintf("%[1]s good; %[1]s kill; exit 5", program(t))
		code, _, trouble := ranProgram(t, "-children", children, "-o", "p.pb.gz", "sh", "-c", line)
		files, err := filepath.Glob("p.*.pb.gz")
		if code != 5 || err != nil || len(files) != want {
			t.Errorf("%s: exit code %d, %q, %q", children, code, files, trouble)
		}
		for _, file := range files {
			if inUseBy(parsed(t, file), "hold_block") != 1_000_003 || !strings.Contains(trouble, "in use at the end: "+file) {
				t.Errorf("%s: %s, %q", children, file, trouble)
			}
		}
	}
}

func TestLibrariesThatAreAlreadyPreloadedStay(t *testing.T) {
	tables := forRuns(t)
	libc := toolchain.Target(t).Library(t, "libm.so.6")
	t.Setenv("LD_PRELOAD", libc)
	code, out, trouble := ranWith(t, "", "run", "-tables", tables, "sh", "-c", "echo $LD_PRELOAD")
	if before, after, _ := strings.Cut(strings.TrimSpace(out), ":"); code != 0 || after != libc || !strings.Contains(before, "/libcgoheap-") {
		t.Errorf("exit code %d, %q, %q", code, out, trouble)
	}
}

// The tables are the only copy then.
func TestTablesStayIfTheProfileCannotBeWritten(t *testing.T) {
	tables := forRuns(t)
	if err := os.Mkdir("gone", 0o700); err != nil {
		t.Fatal(err)
	}
	code, _, trouble := ranWith(t, "", "run", "-exact", "-tables", tables, "-o", "gone/p.pb.gz", "sh", "-c", "rmdir gone; exec "+program(t)+" good")
	boxes, err := filepath.Glob(filepath.Join(tables, "*", "*.box"))
	if code != exitUnreadable || err != nil || len(boxes) != 1 || !strings.Contains(trouble, "the tables stay in "+boxes[0]) {
		t.Fatalf("exit code %d, %q, %q", code, boxes, trouble)
	}
	if code, _, trouble := ranWith(t, "", "recover", "-o", ".", boxes[0]); code != exitGood {
		t.Errorf("exit code %d, %q", code, trouble)
	}
}

// A program that is not recorded runs all the same, and the command says that there is no profile.
func TestAProgramThatCannotBeRecorded(t *testing.T) {
	code, out, trouble := ranProgram(t, os.Args[0], "-test.list=^TestTheManual")
	if code != exitUnreadable || !strings.HasPrefix(out, "TestTheManual") || !strings.Contains(trouble, "cgoheap: nothing is recorded of ") ||
		!strings.Contains(trouble, "and nothing was recorded: a line above says why") {
		t.Errorf("exit code %d, %q, %q", code, out, trouble)
	}
}

// A machine without a compiler takes the library of another.
func TestALibraryFromElsewhere(t *testing.T) {
	tables, program := forRuns(t), program(t)
	if code, _, trouble := ranWith(t, "", "run", "-tables", tables, "-o", "first.pb.gz", program); code != 0 {
		t.Fatal(trouble)
	}
	made, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "cgoheap", "*.so"))
	if err != nil || len(made) == 0 {
		t.Fatal(err, made)
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if code, _, trouble := ranWith(t, "", "run", "-exact", "-tables", tables, "-library", made[0], "-o", "p.pb.gz", program); code != 0 || inUseBy(parsed(t, "p.pb.gz"), "hold_block") != 1_000_003 {
		t.Errorf("exit code %d, %q", code, trouble)
	}
}

// mounted mounts a volume in memory, with flags and options.
func mounted(t *testing.T, flags uintptr, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", flags, options); err != nil {
		t.Skip("needs root, to mount a volume: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

func TestVolumesThatAreOfNoUseAreToldInASentence(t *testing.T) {
	small, full, locked, fixed := mounted(t, 0, "size=9m"), mounted(t, 0, "size=1m"), mounted(t, unix.MS_NOEXEC, ""), mounted(t, unix.MS_RDONLY, "")
	tables := forRuns(t)
	if code, _, trouble := ranWith(t, "", "run", "-exact", "-tables", small, program(t), "many"); code != exitUnreadable ||
		!strings.Contains(trouble, "there is no profile, because the tables had no room in "+small) {
		t.Errorf("exit code %d, %q", code, trouble)
	}
	if left, err := os.ReadDir(small); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", err, left)
	}
	if code, _, trouble := ranWith(t, "", "run", "-tables", full, program(t)); code != exitUnreadable || !strings.Contains(trouble, full+" has only 1 MiB free") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
	made, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "cgoheap", "*.so"))
	if err != nil || len(made) == 0 {
		t.Fatal(err, made)
	}
	text, err := os.ReadFile(made[0])
	if err == nil {
		err = os.WriteFile(filepath.Join(locked, "lib.so"), text, 0o700) //nolint:gosec // it could be run elsewhere
	}
	if err != nil {
		t.Fatal(err)
	}
	if code, _, trouble := ranWith(t, "", "run", "-library", filepath.Join(locked, "lib.so"), "-tables", tables, program(t)); code != exitUnreadable ||
		!strings.Contains(trouble, "(noexec): take a folder on another one") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
	t.Setenv("XDG_CACHE_HOME", fixed)
	if code, _, trouble := ranWith(t, "", "run", "-tables", tables, program(t)); code != exitUnreadable || !strings.Contains(trouble, "read-only file system; set XDG_CACHE_HOME") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
}

func TestWhatCannotBeRunIsToldInASentence(t *testing.T) {
	static, sanitized := compiled(t, "static", "-static"), compiled(t, "sanitized", "-fsanitize=address")
	tables, dir := forRuns(t), t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := write("foreign", "\x7fELF\x02\x01\x01"+strings.Repeat("\x00", 9)+"\x02\x00\x16\x00\x01\x00\x00\x00"+strings.Repeat("\x00", 28)+
		"\x40\x00\x38\x00\x00\x00\x40\x00\x00\x00\x00\x00", 0o700) // of s390x
	for says, arguments := range map[string][]string{
		"a program is needed":                                {},
		"there is no program no-such-program in PATH: give":  {"no-such-program"},
		"there is no program ./none":                         {"./none"},
		"may not be run: chmod +x it":                        {write("data", "x", 0o600)},
		"is a folder: name a program":                        {dir},
		"is no program of this system, and no script, which": {write("garbage", "echo without a first line that says who runs it", 0o700)},
		"is linked statically, so nothing can be put before": {static},
		"is compiled with a sanitizer (libasan.so":           {sanitized},
		"is a program for EM_S390 (ELFCLASS64), and this is": {foreign},
		"-exact and -sample exclude each other":              {"-exact", "-sample", "4KiB", "true"},
		"-sample is 0":                                       {"-sample", "0", "true"},
		"it must be a number of bytes":                       {"-sample", "many", "true"},
		"-o -: standard output is the program's":             {"-o", "-", "true"},
		"is there already: remove it":                        {"-o", static, "true"},
		"the profile cannot be written":                      {"-o", "/nowhere/p.pb.gz", "true"},
		"-children must be none, all, or names":              {"-children", "a b", "true"},
		"it lies on a disk, and threads that allocate would": {"-tables", "/proc/self", "true"},
		"there is no room for the tables: open /nowhere":     {"-tables", "/nowhere", "true"},
		"there is no view \"growth\"":                        {"-view", "growth", "true"},
		"no such file or directory":                          {"-library", "/nowhere.so", "true"},
	} {
		code, out, trouble := ranWith(t, "", append([]string{"run"}, arguments...)...)
		if code != exitUnreadable || out != "" || !strings.HasPrefix(trouble, "cgoheap run: ") || !strings.Contains(trouble, says) {
			t.Errorf("%q: exit code %d, %q, %q", arguments, code, out, trouble)
		}
	}
	t.Setenv("XDG_CACHE_HOME", write("file", "", 0o600))
	if code, _, trouble := ranWith(t, "", "run", "-tables", tables, "true"); code != exitUnreadable || !strings.Contains(trouble, "set XDG_CACHE_HOME to") {
		t.Errorf("no folder for a cache: exit code %d, %q", code, trouble)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CC", "no-such-compiler")
	if code, _, trouble := ranWith(t, "", "run", "-tables", tables, "true"); code != exitUnreadable || !strings.Contains(trouble, `CC is "no-such-compiler"`) {
		t.Errorf("a wrong compiler: exit code %d, %q", code, trouble)
	}
	t.Setenv("CC", "")
	program, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	if code, _, trouble := ranWith(t, "", "run", "-tables", tables, program); code != exitUnreadable || !strings.Contains(trouble, "a C compiler is needed once") {
		t.Errorf("no compiler: exit code %d, %q", code, trouble)
	}
}

// The profile of devices has a file of its own only beside one of another view.
func TestOnlyFilesThatAreWrittenMayNotBeThere(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("p.device.pb.gz", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for view, refused := range map[*report.View]bool{&report.InUse: true, &report.Device: false} {
		r := &running{device: true, file: "p.pb.gz", shared: shared{view: remote.View{View: *view}, name: view.Name}}
		if err := r.checkFile(); (err != nil) != refused {
			t.Errorf("-view %s: %v", view.Name, err)
		}
	}
}

// A compiler that sends a signal each time that it is called, so that one is there when it has ended.
func TestASignalWhileTheLibraryIsMade(t *testing.T) {
	tables := forRuns(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CC", filepath.Join(t.TempDir(), "cc"))
	if err := os.WriteFile(os.Getenv("CC"), []byte("#!/bin/sh\nkill -TERM $PPID\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, unix.SIGTERM)
	defer signal.Stop(heard)
	code, out, trouble := ranWith(t, "", "run", "-tables", tables, program(t))
	left, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "cgoheap", "*"))
	if code != 143 || out != "" || err != nil || len(left) > 0 {
		t.Errorf("exit code %d, %q, %q, %q are left", code, out, trouble, left)
	}
}

// In containers that share a folder, process numbers repeat.
func TestANameThatIsTakenGetsANumber(t *testing.T) {
	code, _, trouble := ranProgram(t, "sh", "-c", "echo first >cgoheap.$$.pb.gz; exec "+program(t)+" good")
	files, err := filepath.Glob("cgoheap.*-2.pb.gz")
	if code != 0 || err != nil || len(files) != 1 || !strings.Contains(trouble, "the profile is "+files[0]) || inUseBy(parsed(t, files[0]), "hold_block") != 1_000_003 {
		t.Fatalf("exit code %d, %q, %q", code, files, trouble)
	}
	if first, err := os.ReadFile(strings.Replace(files[0], "-2", "", 1)); err != nil || string(first) != "first\n" {
		t.Errorf("%q, %v", first, err)
	}
}

// Whoever named a file expects the profile there.
func TestAFileThatSomebodyHasMadeMeanwhile(t *testing.T) {
	code, _, trouble := ranProgram(t, "-o", "p.pb.gz", "sh", "-c", "echo first >p.pb.gz; exec "+program(t)+" good")
	if code != exitUnreadable || !strings.Contains(trouble, "somebody has made p.pb.gz meanwhile: the profile is p-2.pb.gz") ||
		inUseBy(parsed(t, "p-2.pb.gz"), "hold_block") != 1_000_003 {
		t.Errorf("exit code %d, %q", code, trouble)
	}
}

// A program that ends by itself does not lose its profile to one signal that comes then.
func TestSignalsWhileTablesAreRead(t *testing.T) {
	for sent, want := range map[int]string{1: "", 2: "terminated"} {
		h := &harvest{dir: filepath.Join(t.TempDir(), "tables")}
		if err := os.Mkdir(h.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		signals, reads := make(chan os.Signal), make(chan struct{})
		go func() {
			signals <- unix.SIGUSR1
			for range sent {
				signals <- unix.SIGTERM
			}
			if want == "" {
				close(reads)
			}
		}()
		var trouble strings.Builder
		by, err := h.attend(&trouble, signals, ending{}, func() error { <-reads; return errors.New("read") })
		_, gone := os.Stat(h.dir)
		if !strings.Contains(trouble.String(), "its tables are being read") {
			t.Errorf("%q", trouble.String())
		}
		if want == "" && (by != nil || err == nil || err.Error() != "read" || gone != nil) {
			t.Error(by, err, gone)
		}
		if want != "" && (by != unix.SIGTERM || err != nil || gone == nil) {
			t.Error(by, err, gone)
		}
	}
}

// A look at many children takes long.
func TestSignalsArePassedOnWhileChildrenAreRead(t *testing.T) {
	ready := filepath.Join(t.TempDir(), "ready")
	h, signals, reads := &harvest{running: &running{}}, make(chan os.Signal), make(chan struct{})
	end, err := h.await(exec.Command("sh", "-c", "trap 'exit 9' TERM; >"+ready+"; while :; do sleep 0.1; done"), signals, func() {
		if exists(ready) {
			signals <- unix.SIGTERM
			<-reads
		}
	})
	close(reads)
	<-h.looked
	if err != nil || end.code != 9 {
		t.Error(end, err)
	}
}

// Each image that a process executes leaves a box behind.
func TestOldBoxesOfTheProgramAreRemoved(t *testing.T) {
	h := &harvest{running: &running{children: "none"}, dir: t.TempDir(), pid: 1 << 29}
	for _, name := range []string{"cgoheap.x.host.536870912.1.box", "cgoheap.x.host.536870912.2.box", "cgoheap.x.host.7.1.box"} {
		if err := os.WriteFile(filepath.Join(h.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.look()
	all, err := h.boxes()
	if err != nil || len(all[h.pid]) != 1 || all[h.pid][0].time != "2" || len(all[7]) != 1 || len(h.troubles) > 0 {
		t.Error(all, err, h.troubles)
	}
	err = h.finish(ending{how: "ended"})
	if err == nil || len(h.troubles) != 1 || !errors.Is(h.troubles[0], remote.ErrNotBegun) {
		t.Error(err, h.troubles)
	}
	if _, err := os.Stat(h.dir); err == nil {
		t.Error("the directory is left, with boxes that nobody asked for")
	}
}

// Children with a sanitizer insist on being first.
func TestChildrenWithASanitizerRun(t *testing.T) {
	sanitized := compiled(t, "sanitized", "-fsanitize=address")
	t.Setenv("ASAN_OPTIONS", "exitcode=5")
	code, out, trouble := ranProgram(t, "sh", "-c", sanitized+" good && echo $ASAN_OPTIONS")
	if code != 0 || out != "out\nexitcode=5:verify_asan_link_order=0\n" {
		t.Errorf("exit code %d, %q, %q", code, out, trouble)
	}
}

func TestNamesThatNoChildHasAreToldOf(t *testing.T) {
	for children, told := range map[string]bool{"other,another": true, "held": false} {
		code, _, trouble := ranProgram(t, "-children", children, "sh", "-c", program(t)+" good; exit 0")
		if code != 0 || strings.Contains(trouble, "of the processes that the program started, none was recorded as other or another") != told {
			t.Errorf("%s: exit code %d, %q", children, code, trouble)
		}
	}
}

func TestAPathWithALineEndIsInOneLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a\nb")
	if err := os.Link(program(t), path); err != nil {
		t.Fatal(err)
	}
	if _, _, trouble := ranProgram(t, path, "good"); !strings.Contains(trouble, `/a\nb, process `) {
		t.Errorf("%q", trouble)
	}
}

// Processes that outlive the program are left to run, and to be recovered.
func TestOtherProcessesThatStillRun(t *testing.T) {
	tables := forRuns(t)
	for _, fifo := range []string{"up", "end"} {
		if err := unix.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, _, trouble := ranWith(t, "", "run", "-exact", "-tables", tables, "-children", "all", "sh", "-c",
		`sh -c 'echo >up; read x <end' >/dev/null 2>&1 & read x <up; exit 0`)
	if err := os.WriteFile("end", []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	boxes, err := filepath.Glob(filepath.Join(tables, "*", "*.box"))
	if err != nil || len(boxes) != 1 {
		t.Fatal(boxes, err, trouble)
	}
	dir := filepath.Dir(boxes[0])
	if code != 0 || !strings.Contains(trouble, "when what still runs has ended (1 process), cgoheap recover "+dir) {
		t.Errorf("exit code %d, %q", code, trouble)
	}
	if _, err := os.Stat(filepath.Join(dir, wanted)); err != nil {
		t.Error(err)
	}
}

// waiting starts a program that says that it runs, and then waits for the end of its input.
func waiting(t *testing.T, c *exec.Cmd) (in io.WriteCloser) {
	t.Helper()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 9))
	}
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// What a shell held before it executed a program that cannot be recorded is not what that program held.
func TestAProgramThatExecutesOneThatIsNotRecorded(t *testing.T) {
	static, tables := compiled(t, "static", "-static"), forRuns(t)
	r := &running{sample: 1, children: "none", tables: tables}
	h := &harvest{running: r, dir: must(t)(r.makeDirectory())}
	_, library, err := r.find(&streams{progress: os.Stderr}, "sh")
	if err != nil {
		t.Fatal(err)
	}
	c := &exec.Cmd{Path: must(t)(exec.LookPath("sh")), Args: []string{"sh", "-c", "exec " + static + " wait"}, Env: r.environment(library, h.dir, h.segment)}
	in := waiting(t, c)
	h.pid = c.Process.Pid
	h.look()
	h.look()
	if err := errors.Join(in.Close(), c.Wait(), h.finish(endingOf(c))); err != nil || !slices.ContainsFunc(h.notes, func(note string) bool {
		return strings.Contains(note, "it then executed "+static+", which is not recorded")
	}) {
		t.Errorf("%v, %q", err, h.notes)
	}
}

// A shell goes on with its script unless the program that Ctrl-C reached was ended by the signal.
func TestATypedSignalEndsTheCommandToo(t *testing.T) {
	command := must(t)(workshop.Make("command", func(path string) error {
		return toolchain.Tool{Words: []string{"go", "build", "-o", path, "."}}.Run()
	}))
	tables := forRuns(t)
	keys, screen := terminals(t)
	c := exec.Command(command, "run", "-tables", tables, program(t), "wait")
	c.Stdin, c.SysProcAttr = screen, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 9)) // the program runs
	}
	if err == nil {
		_, err = keys.WriteString("\x03")
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != unix.SIGINT {
		t.Error(c.ProcessState)
	}
	if files, err := filepath.Glob("cgoheap.*.pb.gz"); err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}

func must(t *testing.T) func(made string, err error) string {
	return func(made string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
}

// ranInSegment runs a program whose tables lie in a segment, to its end, and returns what reads them.
func ranInSegment(t *testing.T, r *running, arguments ...string) (*harvest, ending) {
	t.Helper()
	h := &harvest{running: r, dir: must(t)(r.makeDirectory())}
	path, library, err := r.find(&streams{progress: os.Stderr}, arguments[0])
	if err == nil {
		h.segment, err = blackbox.NewSegment(exactTableBytes)
	}
	toolchain.NeedsSegment(t, err)
	if err != nil {
		t.Fatal(err)
	}
	c := &exec.Cmd{Path: path, Args: arguments, Env: r.environment(library, h.dir, h.segment)}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	h.pid = c.Process.Pid
	_ = c.Wait()
	if boxes, err := blackbox.Names(h.dir); err != nil || len(boxes) != 0 {
		t.Fatalf("%v, %q", err, boxes)
	}
	return h, endingOf(c)
}

// The command holds what was recorded, also by the second of two programs, and leaves nothing.
func TestTablesInMemory(t *testing.T) {
	tables := forRuns(t)
	for _, arguments := range [][]string{{program(t), "kill"}, {"sh", "-c", "exec " + program(t) + " kill"}} {
		h, end := ranInSegment(t, &running{sample: 1, children: "none", tables: tables, file: "p.pb.gz", shared: shared{view: remote.View{View: report.InUse}}}, arguments...)
		if err := h.finish(end); err != nil || len(h.troubles) != 0 || len(h.notes) != 0 || h.segment != nil {
			t.Errorf("%v, %q, %q", err, h.troubles, h.notes)
		}
		if n := inUseBy(parsed(t, "p.pb.gz"), "hold_block"); n != 1_000_003 || h.own.InUseBytes != n || end.code != 137 {
			t.Errorf("%d bytes, %+v, %+v", n, h.own, end)
		}
		if left, err := os.ReadDir(tables); err != nil || len(left) > 0 {
			t.Errorf("%v, %v are left", err, left)
		}
		if err := os.Remove("p.pb.gz"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTablesInMemoryStayIfTheProfileCannotBeWritten(t *testing.T) {
	tables := forRuns(t)
	h, end := ranInSegment(t, &running{sample: 1, children: "none", tables: tables, file: "gone/p.pb.gz"}, program(t), "kill")
	err := h.finish(end)
	boxes, failed := filepath.Glob(filepath.Join(tables, "*", "*.box"))
	if err == nil || failed != nil || len(boxes) != 1 || len(h.troubles) != 1 || !strings.Contains(h.troubles[0].Error(), "the tables stay in "+boxes[0]) {
		t.Fatalf("%v, %q, %q", err, h.troubles, boxes)
	}
	code, _, trouble := ranWith(t, "", "recover", "-o", ".", boxes[0])
	made, failed := filepath.Glob("*.pb.gz")
	if code != exitGood || failed != nil || len(made) != 1 || inUseBy(parsed(t, made[0]), "hold_block") != 1_000_003 {
		t.Errorf("exit code %d, %q, %q", code, trouble, made)
	}
}

// Where somebody else is to find the tables, or where little is recorded, they lie in a file.
func TestWhichTablesLieInMemory(t *testing.T) {
	for _, c := range []struct {
		running
		memory bool
	}{{running{sample: 1}, true}, {running{sample: 2}, false}, {running{sample: 1, settle: true}, false}, {running{sample: 1, tables: "/dev/shm"}, false}} {
		s := c.makeSegment()
		if filtered, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); (s != nil) != (c.memory && (err != nil || filtered == 0)) {
			t.Errorf("%+v: %v", c, s)
		}
		if s == nil {
			continue
		}
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	}
}
