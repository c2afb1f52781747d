//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// frameOf is the frame of code made at run time that allocated some blocks.
func frameOf(t *testing.T, p *cgoheap.Profiler, jit victim.JIT, size int64, s cgoheap.Selection) *profile.Location {
	t.Helper()
	for _, sample := range checked(t, p, s).Sample {
		if slices.Equal(sample.NumLabel["bytes"], []int64{size}) {
			if l := sample.Location[0]; len(sample.Location) > 1 && jit.Holds(l.Address) {
				return l
			}
		}
	}
	t.Fatal("no stack goes through the code")
	return nil
}

// perfMap makes this process's perf map, empty, whose name is not the test's to choose. One that lies there is a process's that had the same
// number and was killed.
func perfMap(t *testing.T) (path string) {
	t.Helper()
	path = fmt.Sprintf("/tmp/perf-%d.map", os.Getpid())
	_ = os.Remove(path)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Skip(err) // another user's stays
	}
	t.Cleanup(func() { _ = os.Remove(path) })
	file.Close()
	return path
}

func TestCodeMadeAtRunTime(t *testing.T) {
	const size = 93040
	p := start(t, everything)
	jit, ok := victim.NewJITAround(victim.JIT{})
	if !ok {
		t.Skip("no memory may be made executable")
	}
	defer jit.Drop()
	defer victim.Free(jit.MallocAround(size))

	for about, s := range map[string]cgoheap.Selection{"in a file": {}, "for a server that has debug files": {BareAddresses: true}} {
		t.Run("that nobody names has a mapping of its own, and its name for one, "+about, func(t *testing.T) {
			l := frameOf(t, p, jit, size, s)
			if l.Mapping == nil || l.Mapping.File != "[code made at run time]" || l.Mapping.HasFunctions || len(l.Line) != 1 ||
				l.Line[0].Function.Name != "[code made at run time]" || l.Line[0].Function.SystemName != "" {
				t.Errorf("%+v in %+v", l, l.Mapping)
			}
		})
	}

	t.Run("has the name of its runtime's perf map", func(t *testing.T) {
		path := perfMap(t)
		l := frameOf(t, p, jit, size, cgoheap.Selection{})
		if err := os.WriteFile(path, fmt.Appendf(nil, "%x 40 LazyCompile:~allocate service.js:12:3\n", l.Address&^0xfff), 0o600); err != nil {
			t.Fatal(err)
		}
		l = frameOf(t, p, jit, size, cgoheap.Selection{})
		if l.Mapping == nil || l.Mapping.File != "[code made at run time]" || !l.Mapping.HasFunctions ||
			l.Line[0].Function.Name != "LazyCompile:~allocate service.js:12:3" {
			t.Errorf("%+v in %+v", l, l.Mapping)
		}
	})
}

func TestCodeThatGDBIsToldOf(t *testing.T) {
	const size = 93056
	library := filepath.Join(t.TempDir(), "libruntime.so")
	toolchain.Target(t).Build(t, "gcc", "-O2", "-fPIC", "-shared", "-o", library, "../victim/testdata/jitlist.c")
	runtime, err := victim.OpenPlugin(library)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.Close()
	p := start(t, everything)
	jit, ok := victim.NewJITAround(victim.JIT{})
	if !ok {
		t.Skip("no memory may be made executable")
	}
	defer jit.Drop()
	if err := os.WriteFile(perfMap(t), fmt.Appendf(nil, "%x 40 stale\n", jit.Address()), 0o600); err != nil {
		t.Fatal(err)
	}
	defer victim.Free(jit.MallocAround(size))

	expect := func(about, name, systemName string) {
		t.Helper()
		l := frameOf(t, p, jit, size, cgoheap.Selection{})
		if f := l.Line[0].Function; f.Name != name || f.SystemName != systemName || l.Mapping.HasFunctions != (systemName != "") {
			t.Errorf("%s: %+v of %+v in %+v", about, f, l, l.Mapping)
		}
	}
	runtime.Call("jit_register", uintptr(jit.Address()))
	expect("a name in the list, and another in a perf map", "script::allocate", "_ZN6script8allocateEm")
	expect("while it is in the list", "script::allocate", "_ZN6script8allocateEm")
	runtime.Call("jit_unregister", 0)
	expect("when it is gone from the list", "[code made at run time]", "")
	runtime.Call("jit_register", uintptr(jit.Address()))
	expect("when code has come to its place", "[code made at run time]", "")
}
