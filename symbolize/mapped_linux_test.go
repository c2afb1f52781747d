package symbolize

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/mappings"
)

// mapped maps the fixture's program as a loader does, and finds it among the modules of this process.
func (s *shipped) mapped(t *testing.T) *mappings.Module {
	t.Helper()
	file, err := os.Open(s.program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	return s.module(t)
}

// module finds the fixture's program among the modules of this process.
func (s *shipped) module(t *testing.T) *mappings.Module {
	t.Helper()
	modules, err := mappings.Self()
	if err != nil {
		t.Fatal(err)
	}
	for i := range modules {
		if modules[i].Path == s.program {
			return &modules[i]
		}
	}
	t.Fatalf("%s is not mapped", s.program)
	return nil
}

func TestAFileThatWasDeletedOrReplacedIsNamedAsItWasMapped(t *testing.T) {
	other := link(t, "-O1")
	for name, c := range map[string]struct {
		lose func(s *shipped) error
		late bool // the module was found after that
	}{
		"deleted":             {func(s *shipped) error { return os.Remove(s.program) }, false},
		"deleted before":      {func(s *shipped) error { return os.Remove(s.program) }, true},
		"replaced":            {func(s *shipped) error { return os.Rename(other.program, s.program) }, false},
		"replaced by nothing": {func(s *shipped) error { return replace(s.program, nil) }, true},
		"replaced by garbage": {func(s *shipped) error { return replace(s.program, []byte("#!/bin/sh\n")) }, false},
	} {
		t.Run(name+", with its own debug data", func(t *testing.T) {
			s := link(t)
			module := s.mapped(t)
			if err := c.lose(s); err != nil {
				t.Fatal(err)
			}
			if c.late {
				module = s.module(t)
			}
			got := New(Options{}).Resolve(module, s.addresses)
			if got[0].Reason == FileGone {
				unnamed(t, got, FileGone)
				t.Skip("links to mapped files need CAP_CHECKPOINT_RESTORE")
			}
			s.check(t, got)
		})
	}
	t.Run("replaced by its next version with a debug file", func(t *testing.T) {
		s, next := ship(t), ship(t, "-O1")
		s.link(t, "calls.debug")
		module := s.mapped(t)
		for from, to := range map[string]string{next.program: s.program, next.debug: s.debug} {
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
		got := New(Options{}).Resolve(module, s.addresses)
		if got[0].Reason == FileGone {
			unnamed(t, got, FileGone)
		} else {
			unnamed(t, got, otherDebugFile)
		}
	})
}

// replace puts another file in a file's place, as an installation does.
func replace(path string, contents []byte) error {
	if err := os.WriteFile(path+".new", contents, 0o755); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func TestNoFileStaysOpen(t *testing.T) {
	s := ship(t)
	options := s.byBuildID(t)
	divided := linkSplit(t, "gcc", "-gdwarf-4")
	thin, _ := commonFile(t, "DIR/common.debug")
	thinOptions := thin.byBuildID(t)
	for range 3 {
		s.named(options)
		s.named(Options{})
		divided.named(Options{})
		thin.named(thinOptions)
	}
	for _, path := range toolchain.OpenFiles(t) {
		if slices.ContainsFunc([]string{s.dir, divided.dir, thin.dir}, func(dir string) bool { return strings.HasPrefix(path, dir+"/") }) {
			t.Errorf("%s is open", path)
		}
	}
}
