//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package holders

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func tool(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(err)
	}
	out, err := exec.Command(name, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, arguments, err, out)
	}
	return string(out)
}

// held is what the program says of one address.
type held struct {
	inFile             uint64
	name, detail, root string
}

// scene is a program and a library that it opens, in the forms in which they are shipped.
type scene struct {
	program, library, shared string
}

func newScene(t *testing.T, flags ...string) *scene {
	t.Helper()
	dir := t.TempDir()
	s := &scene{filepath.Join(dir, "held"), filepath.Join(dir, "libheld.so.1"), filepath.Join(dir, "shared\nfile")}
	tool(t, "g++", "-shared", "-fPIC", "-Wl,--build-id", "-o", s.library, "testdata/library/library.cc")
	tool(t, "go", append(append([]string{"build", "-o", s.program}, flags...), "./testdata/held")...)
	return s
}

// run returns what the program prints, the addresses with one key together.
func (s *scene) run(t *testing.T, arguments ...string) map[string][]held {
	t.Helper()
	out, err := exec.Command(s.program, append([]string{s.library, s.shared}, arguments...)...).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all := map[string][]held{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			t.Fatalf("%q", line)
		}
		at, err := strconv.ParseUint(f[1], 0, 64)
		if err != nil {
			t.Fatalf("%q", line)
		}
		all[f[0]] = append(all[f[0]], held{at, f[2], f[3], f[4]})
	}
	return all
}

func check(t *testing.T, got map[string][]held, want map[string]string) {
	t.Helper()
	for key, name := range want {
		if len(got[key]) == 0 {
			t.Errorf("%s is missing", key)
		}
		for _, h := range got[key] {
			text := h.name
			if h.detail != "" {
				text += " | " + h.detail
			}
			if h.root != "" {
				text += " < " + h.root
			}
			if text != name {
				t.Errorf("%s: %q, want %q", key, text, name)
			}
		}
	}
}

// everywhere are the names that do not depend on symbols.
var everywhere = map[string]string{
	"stack 0": "stack of thread worker-0", "stack 1": "stack of thread worker-1", "stack 2": "stack of thread x???[31m",
	"control 1": "thread-local storage of thread worker-1", "current of main": "thread-local current of thread held",
	"anonymous": "shared memory", "unseen": "memory of unknown origin | anonymous mapping of 4 KiB", "goroutine without function": "stack of a goroutine", "goroutine": "stack of goroutine main.(*list).loop",
	"heap": "Go's heap", "register": "a register of thread held", "nothing": "nothing", "young": "not looked for",
	"finalizer": "finalizer or cleanup main.(*list).loop", "main's stack": "stack of thread held", "nowhere": "memory that is mapped no more",
}

var ofProgram = map[string]string{
	"sessions": "global sessions", "sessions+2400": "global sessions", "held_cache": "global held_cache (held.cc)",
	"server": "global server (held.cc)", "server+16": "global server (held.cc) | global server+0x10",
	"local": "global find_variables::local (held.cc)", "hidden": "global app::(anonymous namespace)::hidden (held.cc)",
	"names": "global app::registry::names", "made": "global app::registry::list()::made",
	"current 0": "thread-local current of thread worker-0", "recent 1": "thread-local recent (held.cc) of thread worker-1",
	"arena": "memory mapped by pages", "block 54321": "a block allocated in queue_push < global sessions",
	"block 65432": "a block allocated in app::registry::grow < global sessions",
}

var ofLibrary = map[string]string{
	"library entries": "global app::cache::entries (libheld.so.1)", "library entries+8000": "global app::cache::entries (libheld.so.1)",
	"library hidden+8": "global hidden (library.cc, libheld.so.1) | global hidden+0x8",
	"library once":     "global library_variable::once (library.cc, libheld.so.1)", "library array": "global array (library.cc, libheld.so.1)",
	"library recent": "thread-local recent (libheld.so.1) of thread held", "library mine": "thread-local mine (library.cc, libheld.so.1) of thread held",
	"recent of library 0": "thread-local recent (libheld.so.1) of thread worker-0",
}

func TestHoldersOfAProgramThatTakesItsOwnAddresses(t *testing.T) {
	for about, flags := range map[string][]string{"fixed": {"-buildmode=exe"}, "position-independent": {"-buildmode=pie"}} {
		t.Run(about, func(t *testing.T) {
			if about != "fixed" && testing.Short() {
				t.Skip("long: make test-all runs it")
			}
			s := newScene(t, flags...)
			for _, arguments := range [][]string{nil, {"go"}} {
				got := s.run(t, arguments...)
				check(t, got, everywhere)
				check(t, got, ofProgram)
				check(t, got, ofLibrary)
				check(t, got, map[string]string{"file": "mapping " + clean(strings.ReplaceAll(s.shared, "\n", `\012`)),
					"pointers": "Go variable main.pointers", "pointers+80": "Go variable main.pointers",
					"through Go": "Go variable main.pointers, through Go's heap"})
				s.compareWithNM(t, got)
				checkKeys(t, got)
			}
			s.describeStorage(t)
			check(t, s.run(t), ofLibrary)
		})
	}
}

// describeStorage builds the library so that its thread-local storage gets room in the storage of all threads, without that the
// vectors of those that run already say so. It is how arm64 does it always.
func (s *scene) describeStorage(t *testing.T) {
	t.Helper()
	if runtime.GOARCH == "amd64" {
		tool(t, "g++", "-shared", "-fPIC", "-O1", "-mtls-dialect=gnu2", "-o", s.library, "testdata/library/library.cc")
	}
}

// checkKeys fails unless the value of each thread's key has that key's number.
func checkKeys(t *testing.T, got map[string][]held) {
	t.Helper()
	keys := 0
	for key, list := range got {
		if strings.HasPrefix(key, "key ") {
			keys++
			if !strings.HasPrefix(list[0].name, "pthread "+key+" of thread ") {
				t.Errorf("%s: %q", key, list[0].name)
			}
		}
	}
	if keys != 3 {
		t.Errorf("%d keys", keys)
	}
}

// compareWithNM compares names with those that nm lists around the addresses.
func (s *scene) compareWithNM(t *testing.T, got map[string][]held) {
	t.Helper()
	compared := 0
	for _, path := range []string{s.program, s.library} {
		listed := tool(t, "nm", "-S", "-C", "--defined-only", path)
		for key, list := range got {
			for _, h := range list {
				if strings.HasPrefix(key, "library") != (path == s.library) || h.inFile == 0 || key == "finalizer" {
					continue
				}
				if want := inNM(listed, h.inFile); !strings.HasPrefix(strings.ReplaceAll(want, "(int)", ""), strings.Fields(h.name)[1]) && !strings.HasPrefix(h.name, "Go variable "+want) {
					t.Errorf("%s at %#x: %q, nm has %q", key, h.inFile, h.name, want)
				}
				compared++
			}
		}
	}
	if compared < 20 {
		t.Errorf("%d names", compared)
	}
}

// inNM returns the variable around an address.
func inNM(listed string, address uint64) string {
	for line := range strings.Lines(listed) {
		var start, size uint64
		var kind, name string
		if n, _ := fmt.Sscanf(line, "%x %x %s %s", &start, &size, &kind, &name); n == 4 && start <= address && address-start < size && strings.ContainsAny(kind, "bBdDuvV") {
			return name
		}
	}
	return ""
}

func TestHoldersInStrippedFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	s := newScene(t, "-ldflags=-s -w")
	debug := filepath.Join(filepath.Dir(s.library), ".debug", "libheld.so.debug")
	if err := os.Mkdir(filepath.Dir(debug), 0o755); err != nil {
		t.Fatal(err)
	}
	tool(t, "objcopy", "--only-keep-debug", s.library, debug)
	tool(t, "strip", s.library)
	got := s.run(t, "go")
	check(t, got, with(everywhere, "current of main", "thread-local storage of thread held"))
	h := got["held_cache"][0]
	check(t, got, map[string]string{
		"held_cache": fmt.Sprintf("held, data at +%#x", h.inFile), "library array": fmt.Sprintf("libheld.so.1, data from +%#x", got["library array"][0].inFile),
		"pointers":        fmt.Sprintf("held, data of Go at +%#x", got["pointers"][0].inFile),
		"library entries": ofLibrary["library entries"], "library recent": ofLibrary["library recent"], // exported
		"library mine": "thread-local storage of thread held",
	})
	tool(t, "objcopy", "--add-gnu-debuglink="+debug, s.library)
	check(t, s.run(t), ofLibrary)
}

func with(names map[string]string, key, name string) map[string]string {
	all := map[string]string{key: name}
	for k, v := range names {
		if k != key {
			all[k] = v
		}
	}
	return all
}
