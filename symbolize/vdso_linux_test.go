package symbolize

import (
	"bytes"
	"debug/elf"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// vdso is the kernel's library in this process, and its functions as debug/elf reads them from memory.
func vdso(t *testing.T) (*mappings.Module, []elf.Symbol) {
	t.Helper()
	loaded, err := mappings.Self()
	if err != nil {
		t.Skip("there is no list of loaded files here: ", err)
	}
	at := slices.IndexFunc(loaded, func(m mappings.Module) bool { return m.Path == "[vdso]" })
	if at < 0 {
		t.Skip("no vdso here")
	}
	m := &loaded[at]
	memory, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Skip(err)
	}
	defer memory.Close()
	image := make([]byte, m.Ranges[0].Limit-m.Ranges[0].Start)
	if _, err := memory.ReadAt(image, int64(m.Ranges[0].Start)); err != nil {
		t.Fatal(err)
	}
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	return m, symbols
}

func TestFunctionsOfTheVDSOAreNamed(t *testing.T) {
	m, symbols := vdso(t)
	named := 0
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		for _, address := range []uint64{s.Value, s.Value + s.Size/2, s.Value + s.Size - 1} {
			result := New(Options{}).Resolve(m, []mappings.ELFAddr{mappings.ELFAddr(address)})[0]
			want := strings.TrimPrefix(s.Name, "__vdso_") // two names of one function: what C calls it comes first
			if len(result.Lines) != 1 || strings.TrimPrefix(result.Lines[0].Function, "__vdso_") != want {
				t.Errorf("%#x: %v, want %s", address, result, s.Name)
			}
			named++
		}
	}
	if named == 0 {
		t.Error("the vdso has no functions")
	}
}
