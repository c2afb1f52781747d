package dwarf

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// elfSource provides the sections of an ELF file, as symbolize does.
type elfSource struct{ *elffile.File }

func (s elfSource) Section(name string) (Section, error) {
	part, data, err := s.SectionParts(name)
	switch {
	case err != nil:
		return Section{}, nil
	case part == nil:
		return Section{Bytes: data}, nil
	}
	return Section{Reader: part, Size: uint64(part.Size())}, nil
}

func openSource(t testing.TB, path string) elfSource {
	t.Helper()
	f, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return elfSource{f}
}

// program is a file as a Program without other files.
func program(t testing.TB, path string) Program {
	t.Helper()
	source := openSource(t, path)
	segments := source.Segments()
	return Program{Source: source, IsCode: func(address uint64) bool {
		for _, s := range segments {
			if s.Exec && address != 0 && address >= s.Vaddr && address < s.Vaddr+s.Memsz {
				return true
			}
		}
		return false
	}}
}

// find looks addresses up in a file.
func find(t testing.TB, p Program, addresses []uint64) []Answer {
	t.Helper()
	data, err := Open(p)
	if err != nil || data == nil {
		t.Fatalf("%v, %v", data, err)
	}
	defer data.Close()
	answers, err := data.Find(addresses)
	if err != nil {
		t.Fatal(err)
	}
	return plain(answers)
}

// plain are answers of which none is nil.
func plain(answers []*Answer) []Answer {
	list := make([]Answer, len(answers))
	for i, answer := range answers {
		if answer != nil {
			list[i] = *answer
		}
	}
	return list
}

const sources = "../../symbolize/testdata"

// compile builds one of symbolize's programs and returns its path.
func compile(t testing.TB, compiler, source string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	run(t, "", compiler, append(flags, "-o", program, filepath.Join(sources, source))...)
	return program
}

// run runs a tool in a folder; the test is skipped if there is no such tool.
func run(t testing.TB, folder, tool string, arguments ...string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		t.Skip(err)
	}
	command := exec.Command(tool, arguments...)
	command.Dir = folder
	if output, err := command.CombinedOutput(); err != nil {
		if tool == "go" || strings.Contains(string(output), "internal compiler error") {
			t.Skipf("%v: %v\n%s", command, err, output)
		}
		t.Fatalf("%v: %v\n%s", command, err, output)
	}
}

// everyByte lists the addresses in a file's executable sections, about as many as wanted.
func everyByte(t testing.TB, path string, wanted uint64) []uint64 {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var code uint64
	for _, s := range file.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 {
			code += s.Size
		}
	}
	var addresses []uint64
	for _, s := range file.Sections {
		for a := s.Addr; s.Flags&elf.SHF_EXECINSTR != 0 && a < s.Addr+s.Size; a += 1 + code/wanted {
			addresses = append(addresses, a)
		}
	}
	return addresses
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
