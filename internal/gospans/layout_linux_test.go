package gospans

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"
)

// What was found by experiment is compared with the debug data of the same program.
func TestTheLayoutIsTheDebugDatas(t *testing.T) {
	for _, toolchain := range []string{"local", "go1.25.4", "go1.27.0"} {
		t.Run(toolchain, func(t *testing.T) {
			path := goBuild(t, toolchain, "layout")
			d, found := readDebugData(t, path), layoutOf(t, path)
			s, g := func(f string) uint32 { return d.offset("mspan", f) }, func(f string) uint32 { return d.offset("g", f) }
			want := Layout{
				Arenas: found.Arenas, Bias: found.Bias, // in no debug data: leadsTo has proven them
				Lists:      d.symbols["runtime.mheap_"] + uint64(d.offset("mheap", "heapArenas")),
				Goroutines: d.symbols["runtime.allgs"],
				Processors: d.symbols["runtime.allp"],
				Span: Span{
					Start: s("startAddr"), Pages: s("npages"), FreeIndex: s("freeindex"), Objects: s("nelems"),
					Bits: s("allocBits"), Count: s("allocCount"), State: s("state"), Size: s("elemsize"),
					Class: s("spanclass"), Specials: s("specials"),
				},
				G: G{
					SP: g("sched") + d.offset("gobuf", "sp"), Status: g("atomicstatus"), ID: g("goid"),
					Created: g("gopc"), Start: g("startpc"),
				},
				Data:    [2]uint64{d.symbols["runtime.data"], d.symbols["runtime.edata"]},
				BSS:     [2]uint64{d.symbols["runtime.bss"], d.symbols["runtime.ebss"]},
				Special: Special{Finalizer: 2, Cleanup: 7, Function: map[string]uint32{"go1.25.4": keptAt}[toolchain]}, // in no debug data: mheap.go
			}
			if want.Special.Function == 0 {
				want.Special.Function = keptAt + d.offset("cleanupFn", "fn")
			}
			if found != want {
				t.Errorf("found %+v\n want %+v", found, want)
			}
			if users := d.offset("mheap", "userArenaArenas") - d.offset("mheap", "heapArenas"); users != sliceBytes {
				t.Errorf("the list of arenas that users make lies %d behind the other", users)
			}
		})
	}
}

// Each way to build a program that has a runtime finds the same fields.
func TestTheLayoutIsFoundInEachBuild(t *testing.T) {
	want, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	plugin := false // which has variables in more than one place
	check := func(t *testing.T, got Layout) {
		t.Helper()
		if got.Span != want.Span || got.G != want.G || got.Special != want.Special || got.Arenas == 0 || got.Lists == 0 || got.Goroutines == 0 || got.Processors == 0 || (got.Data[0] == 0 || got.BSS[0] == 0) != plugin {
			t.Errorf("found %+v, want the fields of %+v", got, want)
		}
	}
	for name, flags := range map[string][]string{
		"stripped": {"-ldflags=-s -w"}, "position-independent": {"-buildmode=pie", "-ldflags=-s -w"},
		"linked by gcc": {"-ldflags=-linkmode=external -s -w"}, "not optimised": {"-gcflags=all=-N -l"},
		"race": {"-race", "-ldflags=-s -w"}, "checkptr": {"-gcflags=all=-d=checkptr"},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "stripped" {
				t.Skip("long: make test-all runs it")
			}
			check(t, layoutOf(t, goBuild(t, "local", "layout", flags...)))
		})
	}
	t.Run("with stacks outside of the heap", func(t *testing.T) {
		t.Setenv("GODEBUG", "efence=1")
		check(t, layoutOf(t, goBuild(t, "local", "layout")))
	})
	t.Run("library", func(t *testing.T) {
		if testing.Short() {
			t.Skip("long: make test-all runs it")
		}
		check(t, layoutOf(t, cHost(t), goBuild(t, "local", "loaded", "-buildmode=c-shared", "-ldflags=-s -w")))
	})
	t.Run("plugin", func(t *testing.T) {
		if testing.Short() {
			t.Skip("long: make test-all runs it")
		}
		plugin = true
		check(t, layoutOf(t, goBuild(t, "local", "host"), goBuild(t, "local", "loaded", "-buildmode=plugin")))
	})
}

// Where spans are not as expected, it is still known what lies in Go's heap.
func TestTheArenasAreKnownWithoutTheRest(t *testing.T) {
	want, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	defer func(known Span) { span = known }(span)
	span.Size = span.Start
	got, err := find()
	if err == nil || got != (Layout{Arenas: want.Arenas, Bias: want.Bias}) {
		t.Errorf("%v: found %+v, want the arenas of %+v", err, got, want)
	}
	object := allocate(largeBytes)
	if !got.Holds(addressOf(object)) || got.Holds(uint64(uintptr(unsafe.Pointer(&plainValue)))) {
		t.Error("the arenas have what is not in Go's heap, or not what is")
	}
}

// cHost builds a program without Go that loads a library.
func cHost(t *testing.T) string {
	t.Helper()
	source, path := filepath.Join(t.TempDir(), "host.c"), filepath.Join(t.TempDir(), "host")
	text := `#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : 0;
	void (*initialised)(void) = library ? (void (*)(void))dlsym(library, "Initialised") : 0;
	if (initialised)
		initialised();
	return initialised == 0;
}
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("gcc", "-o", path, source, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return path
}
