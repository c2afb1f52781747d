package symbolize

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

func (s *shipped) byBuildID(t testing.TB) Options {
	s.put(t, s.debug, "global", ".build-id", s.buildID[:2], s.buildID[2:]+".debug")
	return Options{DebugDirs: []string{filepath.Join(s.dir, "global")}}
}

func (s *shipped) link(t testing.TB, name string) {
	named := filepath.Join(s.dir, name)
	if err := os.Rename(s.debug, named); err != nil {
		t.Fatal(err)
	}
	s.debug = named
	tool(t, "objcopy", "--add-gnu-debuglink="+named, s.program)
}

func TestASeparateDebugFileNamesEverythingThatTheProgramCouldName(t *testing.T) {
	global := func(s *shipped) Options { return Options{DebugDirs: []string{filepath.Join(s.dir, "global")}} }
	for name, c := range map[string]struct {
		flags []string
		place func(t testing.TB, s *shipped) Options
	}{
		"by build ID": {nil, func(t testing.TB, s *shipped) Options { return s.byBuildID(t) }},
		"by debug link, beside the program": {nil, func(t testing.TB, s *shipped) Options {
			s.link(t, "calls.debug")
			return Options{}
		}},
		"by debug link, in .debug": {nil, func(t testing.TB, s *shipped) Options {
			s.link(t, "calls.debug")
			s.put(t, s.debug, ".debug", "calls.debug")
			return Options{}
		}},
		"by debug link, in a global directory": {nil, func(t testing.TB, s *shipped) Options {
			s.link(t, "calls.debug")
			s.put(t, s.debug, "global", s.dir, "calls.debug")
			return global(s)
		}},
		"by debug link and checksum alone": {[]string{"-Wl,--build-id=none"}, func(t testing.TB, s *shipped) Options {
			s.link(t, "calls.debug")
			return Options{}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := ship(t, c.flags...)
			unnamed(t, s.named(Options{}), Stripped)
			s.check(t, s.named(c.place(t, s)))
		})
	}
}

func TestADebugFileThatIsNotTheModulesIsRefused(t *testing.T) {
	t.Run("by build ID", func(t *testing.T) {
		s, other := ship(t), ship(t, "-O1")
		other.buildID = s.buildID
		unnamed(t, s.named(other.byBuildID(t)), otherDebugFile)
	})
	t.Run("by debug link", func(t *testing.T) {
		s, other := ship(t), ship(t, "-O1")
		s.link(t, "calls.debug")
		s.put(t, other.debug, "calls.debug")
		unnamed(t, s.named(Options{}), otherDebugFile)
	})
	t.Run("by debug link without build IDs", func(t *testing.T) {
		s, other := ship(t, "-Wl,--build-id=none"), ship(t, "-O1", "-Wl,--build-id=none")
		s.link(t, "calls.debug")
		s.put(t, other.debug, "calls.debug")
		unnamed(t, s.named(Options{}), linkChecksum)
	})
}

func TestABrokenDebugFileIsRefused(t *testing.T) {
	s := ship(t)
	options := s.byBuildID(t)
	debug := filepath.Join(s.dir, "global", ".build-id", s.buildID[:2], s.buildID[2:]+".debug")
	if err := os.Truncate(debug, 40); err != nil {
		t.Fatal(err)
	}
	unnamed(t, s.named(options), debugFileBroken)
}

func TestADebugFileNamesAModuleWhoseFileIsGone(t *testing.T) {
	s := ship(t)
	options := s.byBuildID(t)
	if err := os.Remove(s.program); err != nil {
		t.Fatal(err)
	}
	gone := &mappings.Module{ID: 1, Path: s.program, BuildID: s.buildID, Inode: 1, Deleted: true}
	s.check(t, New(options).Resolve(gone, s.addresses))
	unnamed(t, New(Options{}).Resolve(gone, s.addresses), FileGone)
}

func TestAFileThatWasWrittenOverIsNotTakenForTheOneThatWasMapped(t *testing.T) {
	s, other := link(t), link(t, "-O1")
	contents, err := os.ReadFile(other.program)
	if err != nil {
		t.Fatal(err)
	}
	mapped := module(s.program)
	mapped.BuildID = s.buildID
	s.check(t, New(Options{}).Resolve(mapped, s.addresses))
	if err := os.WriteFile(s.program, contents, 0o755); err != nil {
		t.Fatal(err)
	}
	unnamed(t, New(Options{}).Resolve(mapped, s.addresses), FileGone)
}

func TestTheCLibraryIsNamedByItsDebugPackage(t *testing.T) {
	path := systemLibrary(t, "libc.so.6")
	id := buildIDOf(t, path)
	debug := filepath.Join("/usr/lib/debug/.build-id", id[:2], id[2:]+".debug")
	if _, err := os.Stat(debug); err != nil {
		t.Skip("libc6-dbg is not installed: ", err)
	}
	symbols := allSymbols(t, debug)
	for name, want := range map[string]Line{
		"start_thread": {Function: "start_thread", File: "pthread_create.c"},
		"__clone3":     {Function: "__clone3", File: "clone3.S"},
		"_int_malloc":  {Function: "_int_malloc", File: "malloc.c"},
	} {
		if len(symbols[name]) == 0 {
			t.Errorf("no symbol %s", name)
			continue
		}
		address := mappings.ELFAddr(symbols[name][0].Value + symbols[name][0].Size/2)
		lines := New(Options{}).Resolve(module(path), []mappings.ELFAddr{address})[0].Lines
		if len(lines) == 0 {
			t.Errorf("%s is not named", name)
			continue
		}
		got := lines[len(lines)-1]
		if got.Function != want.Function || filepath.Base(got.File) != want.File || got.Line == 0 {
			t.Errorf("%s is named as %+v", name, got)
		}
	}
}
