package symbolize

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// compile builds a program of testdata and returns its path.
func compile(t testing.TB, compiler, source string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skip(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	command := exec.Command(compiler, append(flags, "-o", program, filepath.Join("testdata", source))...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, output)
	}
	return program
}

// module is a file as a module that is not mapped anywhere.
func module(path string) *mappings.Module {
	return &mappings.Module{ID: 1, Path: path}
}

// everyByte lists all addresses in the executable sections of a file.
func everyByte(t testing.TB, path string) []mappings.ELFAddr {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var addresses []mappings.ELFAddr
	for _, section := range file.Sections {
		if section.Flags&elf.SHF_EXECINSTR == 0 || section.Name == ".plt" || section.Name == ".plt.got" {
			continue
		}
		for a := section.Addr; a < section.Addr+section.Size; a++ {
			addresses = append(addresses, mappings.ELFAddr(a))
		}
	}
	return addresses
}
