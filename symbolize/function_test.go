package symbolize

import (
	"debug/elf"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// stripped builds a library, strips it, and returns what the symbols were that it had.
func stripped(t *testing.T, flags ...string) (path string, symbols map[string]elf.Symbol) {
	t.Helper()
	need(t, "strip")
	path = compile(t, "gcc", "stripped.c", append([]string{"-shared", "-fPIC", "-O2"}, flags...)...)
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	symbols = make(map[string]elf.Symbol)
	for _, s := range list {
		symbols[s.Name] = s
	}
	tool(t, "strip", path)
	return path, symbols
}

func resolveOne(path string, address uint64) Result {
	return New(Options{}).Resolve(module(path), []mappings.ELFAddr{mappings.ELFAddr(address)})[0]
}

func TestFunctionsOfAStrippedLibrary(t *testing.T) {
	for how, flags := range map[string][]string{
		"with an index of unwind data":    nil,
		"without an index of unwind data": {"-Wl,--no-eh-frame-hdr"},
	} {
		path, symbols := stripped(t, flags...)
		t.Run("all addresses of one without a symbol have its start, "+how, func(t *testing.T) {
			for _, name := range []string{"first", "second", "neighbour"} {
				s := symbols[name]
				if s.Size == 0 {
					t.Errorf("no %s was built", name)
				}
				for address := s.Value; address < s.Value+s.Size; address++ {
					got := resolveOne(path, address)
					if got.Lines != nil || got.Reason != Stripped || uint64(got.Start) != s.Value {
						t.Fatalf("%s, %#x at %#x: %+v", name, s.Value, address, got)
					}
				}
			}
		})
		t.Run("one that others may call has its name, and no start, "+how, func(t *testing.T) {
			s := symbols["entry"]
			if got := resolveOne(path, s.Value+s.Size/2); len(got.Lines) != 1 || got.Lines[0].Function != "entry" || got.Start != 0 {
				t.Errorf("%+v", got)
			}
		})
		t.Run("a symbol without a size names its own function, and not what follows, "+how, func(t *testing.T) {
			if got := resolveOne(path, symbols["unsized"].Value+1); len(got.Lines) != 1 || got.Lines[0].Function != "unsized" {
				t.Errorf("%+v", got)
			}
			if got := resolveOne(path, symbols["bare"].Value+1); got.Lines != nil || got.Start != 0 {
				t.Errorf("code without unwind data: %+v", got)
			}
		})
		t.Run("a section of stubs is no function, "+how, func(t *testing.T) {
			f, err := elf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			s := f.Section(".plt")
			for address := s.Addr; address < s.Addr+s.Size; address++ {
				if got := resolveOne(path, address); got.Start != 0 {
					t.Fatalf("%#x: %+v", address, got)
				}
			}
		})
	}
}

func TestNamesWinOverStarts(t *testing.T) {
	s := ship(t)
	for i, got := range s.named(Options{}) {
		if got.Lines != nil && got.Start != 0 {
			t.Fatalf("%#x: %+v", uint64(s.addresses[i]), got)
		}
	}
}
