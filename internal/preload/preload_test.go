//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package preload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

var workshop *toolchain.Workshop

func TestMain(m *testing.M) { toolchain.RunWith(&workshop, m) }

// here is the target that tests run on.
var here = Target{Arch: runtime.GOARCH}

// must returns what a step has made.
func must[T any](t *testing.T) func(made T, err error) T {
	return func(made T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
}

// library returns a library that was compiled by package preload, once for each target.
func library(t *testing.T, target Target) string {
	t.Helper()
	return must[string](t)(workshop.Make(fmt.Sprintf("libcgoheap-%s-%s-%v.so", target.Arch, target.libc(), target.Devices), func(path string) error {
		list, err := sources()
		if err != nil {
			return err
		}
		c, err := findCompiler(target)
		if target.Arch != runtime.GOARCH {
			c, err = compiler{"aarch64-linux-gnu-gcc"}, nil
		}
		if err != nil {
			return err
		}
		folder, err := os.MkdirTemp(filepath.Dir(path), "")
		if err != nil {
			return err
		}
		return c.make(folder, list, target, path)
	}))
}

// needs skips the test unless a tool is installed.
func needs(t *testing.T, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		t.Skipf("%s for %s is not installed", tool, runtime.GOARCH)
	}
	return path
}

// built returns a program or library of testdata.
func built(t *testing.T, compiler, name string, more ...string) string {
	t.Helper()
	needs(t, compiler)
	to := strings.TrimSuffix(name, filepath.Ext(name)) + "-" + compiler + strings.Join(more, "")
	return must[string](t)(workshop.Make(to, func(path string) error {
		arguments := slices.Concat([]string{"-g", "-O1", "-fno-inline-functions", "-Wl,--eh-frame-hdr", "-o", path,
			filepath.Join("testdata", name), "-lpthread", "-ldl"}, more)
		return toolchain.Tool{Words: append([]string{compiler}, arguments...)}.Run()
	}))
}

// recorded is a run of a program under the library.
type recorded struct {
	code   int
	out    string
	errors string
	boxes  []string          // in the order of their names
	memory *remote.Recording // in a segment; nil if there is none
}

// settles is a variable that has record have the tables settled.
const settles = "CGOHEAP_TEST_SETTLE=1"

// record runs a program, each allocation recorded, with its children if they are to be.
func record(t *testing.T, library, children string, c *exec.Cmd) recorded {
	t.Helper()
	dir := toolchain.Memory(t)
	s := Settings{Parent: os.Getpid(), SampleBytes: 1, TableBytes: 256 << 20, Children: children, Boxes: dir}
	others := os.Getenv("LD_PRELOAD")
	for _, variable := range c.Env {
		if more, found := strings.CutPrefix(variable, "LD_PRELOAD="); found {
			others = more
		}
	}
	s.Settle = slices.Contains(c.Env, settles)
	c.Env = append(append(os.Environ(), c.Env...), "LD_PRELOAD="+strings.Trim(library+":"+others, ":"), Variable+"="+s.String())
	return ran(t, dir, c)
}

func ran(t *testing.T, dir string, c *exec.Cmd) (r recorded) {
	t.Helper()
	var out, trouble bytes.Buffer
	c.Stdout, c.Stderr = &out, &trouble
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	boxes, err := blackbox.Names(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return recorded{code: c.ProcessState.ExitCode(), out: out.String(), errors: trouble.String(), boxes: boxes}
}

// read returns the profile in a box.
func read(t *testing.T, box string) (*remote.Recording, *profile.Profile) {
	t.Helper()
	file := must[*os.File](t)(os.Open(box))
	defer file.Close()
	r := must[*remote.Recording](t)(remote.ReadBox(file))
	t.Cleanup(r.Close)
	return r, profileOf(t, r)
}

func profileOf(t *testing.T, r *remote.Recording) *profile.Profile {
	t.Helper()
	return profiletest.Read(t, func(w io.Writer) error {
		return r.Write(w, remote.View{View: report.InUse}, symbolize.New(symbolize.Options{}))
	})
}

// sumsIn returns the sums of the samples of functions sum_….
func sumsIn(p *profile.Profile) [4]int64 {
	var found []*profile.Sample
	for _, s := range p.Sample {
		if slices.ContainsFunc(profiletest.Functions(s), func(name string) bool { return strings.HasPrefix(name, "sum_") }) {
			found = append(found, s)
		}
	}
	return profiletest.Sum(found)
}

// counted returns what processes have printed of their own sums, by their numbers.
func counted(t *testing.T, out string) map[int][4]int64 {
	t.Helper()
	all := make(map[int][4]int64)
	for line := range strings.Lines(out) {
		var pid int
		var s [4]int64
		if n, err := fmt.Sscanf(line, "sums %d %d %d %d %d", &pid, &s[0], &s[1], &s[2], &s[3]); n == 5 && err == nil {
			all[pid] = s
		}
	}
	if len(all) == 0 {
		t.Fatalf("no sums in %q", out)
	}
	return all
}

// compare compares the sums in boxes with those that their processes have counted.
func compare(t *testing.T, r recorded) {
	t.Helper()
	found := make(map[int][4]int64)
	for _, box := range r.boxes {
		recording, p := read(t, box)
		found[recording.About.Process] = sumsIn(p)
	}
	if r.memory != nil {
		found[r.memory.About.Process] = sumsIn(profileOf(t, r.memory))
	}
	if want := counted(t, r.out); !maps.Equal(found, want) {
		t.Errorf("recorded: %v, counted by the program: %v", found, want)
	}
	if r.errors != "" {
		t.Errorf("standard error has %q", r.errors)
	}
}

func TestSumsAreThoseOfTheProgram(t *testing.T) {
	sums, opened := built(t, "gcc", "sums.c"), built(t, "gcc", "opened.c", "-shared", "-fPIC")
	for name, c := range map[string]struct {
		arguments []string
		code      int
	}{
		"each function":   {[]string{"each"}, 3},
		"threads":         {[]string{"threads", "each"}, 3},
		"a library":       {[]string{"open", opened}, 3},
		"SIGKILL":         {[]string{"threads", "open", opened, "kill"}, -1},
		"fork":            {[]string{"each", "fork"}, 0},
		"fork in a hurry": {[]string{"each", "fork-hurried"}, 3},
		"a child of exec": {[]string{"fork-exec", "each"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t, library(t, here), "all", exec.Command(sums, c.arguments...))
			if r.code != c.code {
				t.Errorf("the exit code is %d", r.code)
			}
			compare(t, r)
		})
	}
}

// A program that executes another one leaves a box behind; what counts is the newer one.
func TestAProgramThatExecutesAnother(t *testing.T) {
	r := record(t, library(t, here), "none", exec.Command(built(t, "gcc", "sums.c"), "each", "exec"))
	if len(r.boxes) != 2 {
		t.Fatalf("%q", r.boxes)
	}
	r.boxes = r.boxes[1:]
	compare(t, r)
}

func TestSumsWithOtherAllocators(t *testing.T) {
	for name, file := range map[string]string{"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc.so.4", "mimalloc": "libmimalloc.so.2"} {
		t.Run(name, func(t *testing.T) {
			allocator := toolchain.Target(t).Library(t, file)
			c := exec.Command(built(t, "gcc", "sums.c"), "each", "threads")
			c.Env = []string{"LD_PRELOAD=" + allocator}
			compare(t, record(t, library(t, here), "none", c))
			c = exec.Command(built(t, "g++", "early.cc"), "without failure") // mimalloc's operator ends the program
			c.Env = []string{"LD_PRELOAD=" + allocator}
			compareEarly(t, record(t, library(t, here), "none", c))
		})
	}
}

// compareEarly compares a program that has one box, and does not know its number.
func compareEarly(t *testing.T, r recorded) {
	t.Helper()
	if r.code != 3 || r.errors != "" || len(r.boxes) != 1 {
		t.Fatalf("%+v", r)
	}
	_, p := read(t, r.boxes[0])
	if found, want := sumsIn(p), counted(t, r.out)[0]; found != want {
		t.Errorf("recorded: %v, counted by the program: %v", found, want)
	}
}

// The program's own constructors run before main, and libraries' before them. operator new throws as ever.
func TestWhatAllocatesBeforeMain(t *testing.T) {
	compareEarly(t, record(t, library(t, here), "none", exec.Command(built(t, "g++", "early.cc"))))
}

func TestSumsWithMusl(t *testing.T) {
	sums := built(t, "musl-gcc", "sums.c", "-funwind-tables")
	for _, arguments := range [][]string{{"each", "threads"}, {"threads", "kill"}, {"each", "fork"}} {
		compare(t, record(t, library(t, Target{Arch: here.Arch, Musl: true}), "all", exec.Command(sums, arguments...)))
	}
}

// The library for another machine, by an emulator.
func TestSumsOnArm64(t *testing.T) {
	emulator, sums := needs(t, "qemu-aarch64"), built(t, "aarch64-linux-gnu-gcc", "sums.c")
	for _, arguments := range [][]string{{"each", "threads"}, {"each", "kill"}} {
		dir := toolchain.Memory(t)
		s := Settings{Parent: os.Getpid(), SampleBytes: 1, TableBytes: 64 << 20, Children: "none", Boxes: dir}
		c := exec.Command(emulator, append([]string{"-L", "/usr/aarch64-linux-gnu", "-E", "LD_PRELOAD=" + library(t, Target{Arch: "arm64"}),
			"-E", Variable + "=" + s.String(), sums}, arguments...)...)
		compare(t, ran(t, dir, c))
	}
}

// The library is initialised first, whatever the order of others.
func TestWhatOtherLibrariesAllocateBeforeMain(t *testing.T) {
	c := exec.Command(built(t, "gcc", "sums.c"), "each")
	c.Env = []string{"LD_PRELOAD=" + built(t, "g++", "early.cc", "-shared", "-fPIC")}
	r := record(t, library(t, here), "none", c)
	if r.code != 3 || r.errors != "" || len(r.boxes) != 1 {
		t.Fatalf("%+v", r)
	}
	recording, p := read(t, r.boxes[0])
	want := counted(t, r.out)[recording.About.Process]
	for i, early := range []int64{1, 12345, 1, 12345} {
		want[i] += early
	}
	if found := sumsIn(p); found != want {
		t.Errorf("recorded: %v, allocated: %v", found, want)
	}
}

// A program in which nothing can be recorded does what it does without, and a line says why.
func TestProgramsThatAreNotRecorded(t *testing.T) {
	sums := built(t, "gcc", "sums.c")
	for says, c := range map[string]*exec.Cmd{
		os.Args[0] + " has a malloc of its own":                 exec.Command(os.Args[0], "-test.list=^$"),
		"its tables cannot be made: File too large":             exec.Command("sh", "-c", "ulimit -f 1; exec $0 each", sums),
		"its tables cannot be made: Cannot allocate memory":     exec.Command("sh", "-c", "ulimit -v 200000; exec $0 each", sums),
		"its tables cannot be made: No such file or directory":  exec.Command("sh", "-c", "rm -r ${CGOHEAP_RUN##*=}; exec $0 each", sums),
		ownMalloc(t) + " has a malloc of its own: an allocator": exec.Command(ownMalloc(t)),
	} {
		compareUnrecorded(t, says, c)
	}
}

// compareUnrecorded compares a program in which nothing can be recorded with itself alone, and says what the line must have.
func compareUnrecorded(t *testing.T, says string, c *exec.Cmd) {
	t.Helper()
	plain := exec.Command(c.Args[0], c.Args[1:]...)
	plain.Env = append(os.Environ(), Variable+"=/nowhere")
	want, _ := plain.CombinedOutput()
	r := record(t, library(t, here), "none", c)
	if line := "cgoheap: nothing is recorded of "; !strings.HasPrefix(r.errors, line) || !strings.Contains(r.errors, says) || strings.Count(r.errors, "\n") != 1 {
		t.Errorf("%s: %q", says, r.errors)
	}
	if r.code != plain.ProcessState.ExitCode() || len(c.Args) == 1 && r.out != string(want) {
		t.Errorf("%s: exit code %d of %d, %q of %q", says, r.code, plain.ProcessState.ExitCode(), r.out, want)
	}
}

// Tools of valgrind that replace malloc do so behind the hooks; others leave it, and the sums are those of the program.
func TestUnderValgrind(t *testing.T) {
	valgrind, sums := needs(t, "valgrind"), built(t, "gcc", "sums.c")
	for _, tool := range []string{"memcheck", "helgrind"} {
		compareUnrecorded(t, "sums-gcc: valgrind takes malloc", exec.Command(valgrind, "-q", "--tool="+tool, sums, "each"))
	}
	r := record(t, library(t, here), "none", exec.Command(valgrind, "-q", "--tool=none", sums, "each"))
	r.boxes = slices.DeleteFunc(r.boxes, func(box string) bool { return !strings.Contains(box, ".sums-gcc.") }) // valgrind has one too
	compare(t, r)
}

// Without /proc, the program's name is the one by which it was called.
func TestAProgramWithoutProc(t *testing.T) {
	namespaces(t)
	compareUnrecorded(t, "sums-gcc: /proc/self/exe cannot be read: No such file or directory",
		exec.Command("unshare", "-Urm", "sh", "-c", "mount -t tmpfs none /proc && exec $0 each", built(t, "gcc", "sums.c")))
}

// ownMalloc returns a program that has a malloc of its own, and exports it.
func ownMalloc(t *testing.T) string { return built(t, "gcc", "own.c", "-rdynamic") }

// Without the variable, or with one that is none, the library does nothing and says nothing.
func TestWithoutSettingsNothingHappens(t *testing.T) {
	sums := built(t, "gcc", "sums.c")
	for _, variable := range []string{"", "CGOHEAP_RUN=", "CGOHEAP_RUN=parent=1", "CGOHEAP_RUN=parent=x space=0 sample=1 tables=1 settle=0 children=all go=none boxes=/dev/shm",
		"CGOHEAP_RUN=parent=1 space=0 sample=1 tables=8388608 settle=0 children=all go=none boxes=", "CGOHEAP_RUN=parent=1 space=0 sample=1 tables=8388608 settle=0 children=all go=none boxes=relative"} {
		c := exec.Command(sums, "each")
		c.Env = append(os.Environ(), "LD_PRELOAD="+library(t, here), variable)
		if r := ran(t, toolchain.Memory(t), c); r.code != 3 || r.errors != "" || len(r.boxes) != 0 {
			t.Errorf("%q: %+v", variable, r)
		}
	}
}

// Without a build ID, a file is the one that it was when the program began, by its inode, size and time.
func TestFilesWithoutABuildID(t *testing.T) {
	program := filepath.Join(t.TempDir(), "sums")
	text := must[[]byte](t)(os.ReadFile(built(t, "gcc", "sums.c", "-Wl,--build-id=none")))
	if err := os.WriteFile(program, text, 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	r := record(t, library(t, here), "none", exec.Command(program, "each"))
	compare(t, r)
	if err := os.Chtimes(program, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, p := read(t, r.boxes[0]); sumsIn(p) != [4]int64{} || !profiletest.HasComment(p, program, "deleted or replaced") {
		t.Errorf("%q", p.Comments)
	}
}

// A program with one thread stays one, and may do what others may not, also if ours settles the tables.
func TestAProgramThatIsAlone(t *testing.T) {
	path := built(t, "gcc", "alone.c")
	plain := exec.Command(path)
	want, err := plain.Output()
	if err != nil || !strings.Contains(string(want), "unshare: ") {
		t.Fatal(err, string(want))
	}
	for settling, threads := range map[string]string{"": "1", settles: "2"} {
		c := exec.Command(path)
		c.Env = []string{settling}
		r := record(t, library(t, here), "none", c)
		if r.out != strings.Replace(string(want), "threads: 1", "threads: "+threads, 1) || r.errors != "" {
			t.Errorf("%q: %q of %q, %q", settling, r.out, want, r.errors)
		}
	}
}

// The tables in a box of a living process are those of a moment, soon after it.
func TestTheTablesAreSettled(t *testing.T) {
	dir := toolchain.Memory(t)
	s := Settings{Parent: os.Getpid(), SampleBytes: 1, TableBytes: 8 << 20, Settle: true, Children: none, Boxes: dir}
	c := exec.Command(built(t, "gcc", "sums.c"), "threads", "wait")
	c.Env = append(os.Environ(), "LD_PRELOAD="+library(t, here), Variable+"="+s.String())
	in, out := must[io.WriteCloser](t)(c.StdinPipe()), must[io.ReadCloser](t)(c.StdoutPipe())
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	boxes := must[[]string](t)(blackbox.Names(dir))
	for {
		if all := valuesIn(t, boxes[0], true); all.AllocObjects > 0 && valuesIn(t, boxes[0], false) == all {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := errors.Join(in.Close(), c.Wait()); c.ProcessState.ExitCode() != 3 {
		t.Errorf("%v, %q", err, line[:n])
	}
}

// valuesIn returns the sum of all that lies in a box: up to now, if it is read as that of a process that has ended, or else as settled.
func valuesIn(t *testing.T, box string, ended bool) (sum stack.Values) {
	t.Helper()
	var memory scratch.Memory
	defer memory.Free()
	region := tables.Region(must[[]byte](t)(os.ReadFile(box)))
	for _, s := range tables.NewReader(region, tables.Options{Depth: 128, Stopped: ended}, &memory).Settled().Unpack() {
		sum.AllocObjects += s.AllocObjects
		sum.AllocBytes += s.AllocBytes
		sum.InuseObjects += s.InuseObjects
		sum.InuseBytes += s.InuseBytes
	}
	return sum
}

// A Go program that was not rebuilt: C and Go in one stack, with the names of both.
func TestGoProgramsWithoutCgoheap(t *testing.T) {
	for name, flags := range map[string][]string{
		"as ever": nil, "stripped": {"-ldflags=-s"}, "position-independent": {"-buildmode=pie"}, "linked by Go": {"-ldflags=-linkmode=internal"},
	} {
		t.Run(name, func(t *testing.T) {
			path := must[string](t)(workshop.Make("gocalls"+strings.Join(flags, ""), func(path string) error {
				return toolchain.Tool{Words: slices.Concat([]string{"go", "build", "-o", path}, flags, []string{"./testdata/gocalls"})}.Run()
			}))
			about := must[Program](t)(Inspect(path))
			dir := toolchain.Memory(t)
			s := Settings{Parent: os.Getpid(), SampleBytes: 1, TableBytes: 64 << 20, Children: none, Go: about.Go, Boxes: dir}
			c := exec.Command(path)
			c.Env = append(os.Environ(), "LD_PRELOAD="+library(t, here), Variable+"="+s.String())
			r := ran(t, dir, c)
			if r.code != 0 || r.out != "done\n" || r.errors != "" {
				t.Fatalf("%+v", r)
			}
			_, p := read(t, r.boxes[0])
			for size, want := range map[int64]struct {
				through []string
				sum     [4]int64
			}{
				1000: {[]string{"main.hold", "main.main.func1"}, [4]int64{400, 400_000, 400, 400_000}},
				777:  {[]string{"main.hold", "main.goBack", "goBack", "main.main", "runtime.main"}, [4]int64{1, 777, 1, 777}},
			} {
				if found := profiletest.Sum(through(p, size, want.through)); found != want.sum {
					t.Errorf("of %d bytes: %v, want %v", size, found, want.sum)
				}
			}
		})
	}
}

// through returns the samples of blocks of a size that went through these functions, leaf first.
func through(p *profile.Profile, size int64, functions []string) (list []*profile.Sample) {
	for _, s := range p.Sample {
		left := functions
		for _, name := range profiletest.Functions(s) {
			if len(left) > 0 && name == left[0] {
				left = left[1:]
			}
		}
		if len(left) == 0 && slices.Equal(s.NumLabel["bytes"], []int64{size}) {
			list = append(list, s)
		}
	}
	return list
}

// Programs of the distribution do what they do without.
func TestHosts(t *testing.T) {
	for name, arguments := range map[string][]string{
		"python3": {"-c", "import json, threading, subprocess\nt = [threading.Thread(target=lambda: [bytearray(i) for i in range(2000)]) for _ in range(4)]\n" +
			"[x.start() for x in t]; [x.join() for x in t]\nprint(json.dumps({'a': 1}), subprocess.check_output(['echo', 'x'])); exit(5)"},
		"perl":    {"-e", `my %h; $h{$_} = "x" x $_ for 1..2000; my $p = fork // die; exit 2 if !$p; wait; print scalar(keys %h), " ", $? >> 8, "\n"; exit 6`},
		"gcc":     {"-O2", "-S", "-o", "-", "testdata/sums.c"},
		"git":     {"log", "-3", "--stat"},
		"sqlite3": {":memory:", "create table t(a); with recursive c(x) as (select 1 union all select x+1 from c where x<5000) insert into t select x from c; select sum(a) from t;"},
		"node":    {"-e", "let a = []; for (let i = 0; i < 1e5; i++) a.push({i}); console.log(a.length); process.exit(7)"},
		"bash":    {"-c", "x=$(for i in 1 2 3; do echo $i | cat; done); echo $x; exit 8"},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := exec.LookPath(name)
			if err != nil {
				t.Skip("none of this machine: ", name)
			}
			plain := exec.Command(path, arguments...)
			var errors strings.Builder
			plain.Stderr = &errors
			want, _ := plain.Output()
			for _, target := range []Target{here, withDevices} {
				r := record(t, library(t, target), "all", exec.Command(path, arguments...))
				if r.code != plain.ProcessState.ExitCode() || r.out != string(want) || r.errors != errors.String() {
					t.Errorf("%v: exit code %d of %d, %d bytes of %d, standard error %q, not %q", target, r.code, plain.ProcessState.ExitCode(), len(r.out), len(want), r.errors, &errors)
				}
				if len(r.boxes) == 0 {
					t.Errorf("%v: nothing was recorded", target)
				}
				for _, box := range r.boxes {
					if recording, _ := read(t, box); len(recording.Lost()) > 0 {
						t.Errorf("%v: %s: %q", target, recording.Program, recording.Lost())
					}
				}
			}
		})
	}
}
