//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// linkers lay a library out each in its own way. In all but the first, code or what says how to unwind it is not at the
// address that its place in the file suggests.
var linkers = map[string][]string{
	"GNU ld":                       nil,
	"GNU ld, with code further on": {"-Wl,-Ttext=0x20100"},
	"gold":                         {"-fuse-ld=gold", "-Wl,--rosegment"},
	"lld":                          {"-fuse-ld=lld"},
	"mold":                         {"-fuse-ld=mold"},
}

func TestLibrariesOfEachLinker(t *testing.T) {
	for linker, flags := range linkers {
		t.Run("a stack goes through a library that was linked by "+linker, func(t *testing.T) {
			path := plugin(t, append(findsLinker(t, flags), flags...)...)
			if linker != "GNU ld" && !isShifted(t, path) {
				t.Fatal("everything is where its place in the file suggests")
			}
			r := start(t, everything)
			p := open(t, path)
			defer p.Close()
			r.look()
			defer victim.Free(late(p))
			s := snapshot(t, r)
			frames := s.one(t, "late", 1002).Frames
			for i, want := range []string{"plugin_malloc", "plugin_calls_itself"} {
				if got := s.functionOf(t, frames[i], path); got != want {
					t.Errorf("frame %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}

// findsLinker returns the flags by which gcc finds the linker that the test names: a cross-compiler does not look among this
// machine's tools. The test is skipped where there is none.
func findsLinker(t *testing.T, flags []string) []string {
	t.Helper()
	for _, flag := range flags {
		name, asked := strings.CutPrefix(flag, "-fuse-ld=")
		if !asked {
			continue
		}
		path, err := exec.LookPath("ld." + name)
		if err != nil {
			t.Skipf("linker not installed: %v", err)
		}
		if name == "gold" { // the only one that is of one architecture, and comes with each gcc's other tools
			return nil
		}
		folder := t.TempDir()
		if err := os.Symlink(path, filepath.Join(folder, "ld."+name)); err != nil {
			t.Fatal(err)
		}
		return []string{"-B" + folder}
	}
	return nil
}

// isShifted reports whether p_vaddr is not p_offset for code or for what says how to unwind it.
func isShifted(t *testing.T, path string) bool {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool {
		return p.Type == elf.PT_LOAD && p.Flags&elf.PF_W == 0 && p.Vaddr != p.Off
	})
}

// scoped loads a library into a scope, and waits until it is known.
func scoped(t *testing.T, r *Recording, scope victim.Scope) victim.Plugin {
	t.Helper()
	p, err := victim.OpenPluginIn(plugin(t), scope)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	r.look()
	return p
}

func TestScopesOfLibraries(t *testing.T) {
	for name, scope := range map[string]victim.Scope{"RTLD_LOCAL": victim.Local, "RTLD_GLOBAL": victim.Global} {
		t.Run("a library that was opened with "+name+" allocates by the hooks", func(t *testing.T) {
			r := start(t, everything)
			p := scoped(t, r, scope)
			block := late(p)
			if v := snapshot(t, r).one(t, "late", 1002).Values; v.InuseBytes != 1002 {
				t.Errorf("%+v", v)
			}
			p.Call("plugin_free", uintptr(block))
			if v := snapshot(t, r).one(t, "late", 1002).Values; v.InuseBytes != 0 || v.AllocBytes != 1002 {
				t.Errorf("freed: %+v", v)
			}
		})
	}

	t.Run("one that was opened with RTLD_DEEPBIND calls libc's malloc and is not seen", func(t *testing.T) {
		if victim.DeepBind == 0 {
			t.Skip("this libc has no RTLD_DEEPBIND")
		}
		r := start(t, everything)
		p := scoped(t, r, victim.DeepBind)
		block := late(p)
		if v := ofSize(t, r, 1002); v.AllocObjects != 0 {
			t.Errorf("%+v", v)
		}
		victim.Free(block)
		if v := ofSize(t, r, 1002); v.AllocObjects != 0 {
			t.Errorf("freed by a hook: %+v", v)
		}
	})

	t.Run("what it frees of others is in use until its address is allocated again", func(t *testing.T) {
		if victim.DeepBind == 0 {
			t.Skip("this libc has no RTLD_DEEPBIND")
		}
		r := start(t, everything)
		p := scoped(t, r, victim.DeepBind)
		block := victim.Malloc(70003)
		p.Call("plugin_free", uintptr(block))
		if v := ofSize(t, r, 70003); v.InuseObjects != 1 {
			t.Errorf("after the free: %+v", v)
		}
		for again := victim.Malloc(70003); again != block; again = victim.Malloc(70003) {
			defer victim.Free(again)
			if v := ofSize(t, r, 70003); v.AllocObjects > 100 {
				t.Skip("libc does not give the address again")
			}
		}
		defer victim.Free(block)
		if v := ofSize(t, r, 70003); v.InuseObjects != v.AllocObjects-1 {
			t.Errorf("after its address was allocated: %+v", v)
		}
	})
}
