package report

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// strippedLibrary builds and strips a library, and says where its function is that has lost its name.
func strippedLibrary(t *testing.T) (path string, local elf.Symbol) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "libstripped.so.7")
	for _, command := range [][]string{
		{"gcc", "-shared", "-fPIC", "-O2", "-Wl,--build-id=sha1", "-o", path, filepath.Join("testdata", "stripped.c")}, {"strip", path},
	} {
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Skip(err)
		}
		if output, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
		if command[0] == "gcc" {
			local = symbolOf(t, path, "local")
		}
	}
	return path, local
}

func symbolOf(t *testing.T, path, name string) elf.Symbol {
	t.Helper()
	for _, s := range toolchain.Symbols(t, path) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no symbol %s", name)
	return elf.Symbol{}
}

func TestFunctionsOfAStrippedLibraryAddUp(t *testing.T) {
	path, local := strippedLibrary(t)
	file, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	id, err := file.BuildID()
	if file.Close(); err != nil {
		t.Fatal(err)
	}
	module := &mappings.Module{ID: 1, Path: path, BuildID: id}
	r := Report{
		Header: pprof.Header{Main: pprof.Mapping{File: "/bin/service", BuildID: "0a"}, SampleBytes: 1, Time: time.Now()},
		Module: func(stack.ModuleID) *mappings.Module { return module },
		Names:  symbolize.New(symbolize.Options{}),
	}
	for i := range uint64(3) {
		frames := []stack.Frame{stack.NewFrame(1, local.Value+i)}
		r.Samples = append(r.Samples, stack.Sample{Frames: frames, Values: stack.Values{InuseObjects: 1, InuseBytes: 8}})
	}
	written := func() *profile.Profile {
		t.Helper()
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		if faults, err := check.Profile(bytes.NewReader(b.Bytes())); err != nil || len(faults) > 0 {
			t.Errorf("%v, %v", faults, err)
		}
		p, err := profile.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}

	t.Run("under a name that says where it begins, without the flag that says it is named", func(t *testing.T) {
		p := written()
		want := fmt.Sprintf("libstripped.so.7+%#x", local.Value)
		if len(p.Function) != 1 || p.Function[0].Name != want || p.Function[0].SystemName != "" || len(p.Location) != 3 {
			t.Fatalf("%v, want one function %s", p, want)
		}
		for i, l := range p.Location {
			if l.Address != local.Value+uint64(i) || l.Mapping.HasFunctions || l.Mapping.File != path {
				t.Errorf("%+v in %+v", l, l.Mapping)
			}
		}
		if !strings.Contains(strings.Join(p.Comments, "\n"), "such as "+want) {
			t.Errorf("%q", p.Comments)
		}
		if err := p.Aggregate(true, true, true, true, false, false); err != nil || p.Location[0].Line[0].Function.Name != want {
			t.Error(err)
		}
	})

	t.Run("or stay addresses, for a server that has the debug file", func(t *testing.T) {
		r.Bare = true
		p := written()
		if len(p.Function) != 0 || len(p.Location) != 3 || p.Location[0].Mapping.HasFunctions {
			t.Errorf("%v", p)
		}
	})
}
