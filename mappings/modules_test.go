package mappings

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

var errNoFile = errors.New("there is no file")

// noFiles is an opener for processes that exist on paper only.
type noFiles struct{}

func (noFiles) Open(*Module) (*elffile.File, error)     { return nil, errNoFile }
func (noFiles) OpenHead(*Module) (*elffile.File, error) { return nil, errNoFile }

// image is an opener that returns the same bytes for every module.
type image []byte

func (i image) Open(*Module) (*elffile.File, error) {
	return elffile.New(bytes.NewReader(i), int64(len(i)), "image")
}

func (i image) OpenHead(m *Module) (*elffile.File, error) { return i.Open(m) }

// modulesOf are the modules of a text in the format of /proc/pid/maps.
func modulesOf(t *testing.T, text string, open opener) []Module {
	t.Helper()
	modules, _ := inspectAll(parsed(t, text), open)
	return modules
}

func parsed(t *testing.T, text string) []mapping {
	t.Helper()
	mappings, err := parseMaps(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return mappings
}

func TestModulesWithoutFiles(t *testing.T) {
	t.Run("anonymous, generated and kernel code is no module", func(t *testing.T) {
		modules := modulesOf(t, `1000-2000 r-xp 0 00:00 0
2000-3000 rwxp 0 00:00 0 [heap]
3000-4000 r-xp 0 00:00 0 [anon:jit]
4000-5000 --xp 0 00:00 0 [vsyscall]
`, noFiles{})
		if len(modules) != 0 {
			t.Errorf("%+v", modules)
		}
	})
	t.Run("a file without code is no module", func(t *testing.T) {
		if modules := modulesOf(t, "1000-2000 r--p 0 fe:00 7 /locale\n", noFiles{}); len(modules) != 0 {
			t.Errorf("%+v", modules)
		}
	})
	t.Run("without headers the bias is guessed from the first mapping of each load, with the reason", func(t *testing.T) {
		modules := modulesOf(t, `10000-11000 r--p 0000 fe:00 7 /a
11000-12000 r-xp 1000 fe:00 7 /a
12000-13000 r--p 2000 fe:00 7 /a
20000-21000 r--p 0000 fe:00 7 /a
21000-22000 r-xp 1000 fe:00 7 /a
`, noFiles{})
		if len(modules) != 2 || modules[0].Bias != 0x10000 || modules[1].Bias != 0x20000 {
			t.Fatalf("%+v", modules)
		}
		if !errors.Is(modules[0].Err, errNoFile) {
			t.Errorf("error %v", modules[0].Err)
		}
	})
	t.Run("files that share a path but not an inode are two modules", func(t *testing.T) {
		modules := modulesOf(t, "1000-2000 r-xp 0 fe:00 7 /a (deleted)\n8000-9000 r-xp 0 fe:00 8 /a\n", noFiles{})
		if len(modules) != 2 || !modules[0].Deleted || modules[1].Deleted {
			t.Errorf("%+v", modules)
		}
	})
}

// library is a file with a page of headers, three of code, whose addresses are a page above their offsets, and one of data.
func library(t *testing.T) image {
	t.Helper()
	var b bytes.Buffer
	header := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 3,
	}
	parts := []any{header}
	for _, p := range []elf.Prog64{
		{Off: 0, Vaddr: 0, Filesz: 0x1000, Flags: uint32(elf.PF_R)},
		{Off: 0x1000, Vaddr: 0x2000, Filesz: 0x3000, Flags: uint32(elf.PF_R | elf.PF_X)},
		{Off: 0x4000, Vaddr: 0x5000, Filesz: 0x1000, Flags: uint32(elf.PF_R | elf.PF_W)},
	} {
		p.Type, p.Memsz, p.Align = uint32(elf.PT_LOAD), p.Filesz, 0x1000
		parts = append(parts, p)
	}
	for _, part := range parts {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return image(append(b.Bytes(), make([]byte, 0x5000-b.Len())...))
}

func TestMovedTextOnPaper(t *testing.T) {
	const head, data = "10000-11000 r--p 0 fe:00 7 /a\n", "15000-16000 rw-p 4000 fe:00 7 /a\n"
	for name, text := range map[string]string{
		"all of it, without a name":   "12000-15000 r-xp 0 00:00 0 \n",
		"all of it, in two parts":     "12000-13000 r-xp 0 00:00 0 [anon:text]\n13000-15000 r-xp 0 00:00 0 [anon:more]\n",
		"all of it, onto another":     "12000-15000 r-xp 5000 00:10 9 /dev/hugepages/text (deleted)\n",
		"its middle, by MAP_HUGETLB":  "12000-13000 r-xp 1000 fe:00 7 /a\n13000-14000 r-xp 0 00:10 9 /anon_hugepage (deleted)\n14000-15000 r-xp 3000 fe:00 7 /a\n",
		"its end, and it is readable": "12000-14000 r-xp 1000 fe:00 7 /a\n14000-15000 rwxp 0 00:00 0 \n",
	} {
		t.Run("text that was moved belongs to its file: "+name, func(t *testing.T) {
			modules, made := inspectAll(parsed(t, head+text+data), library(t))
			if len(modules) != 1 || modules[0].Path != "/a" || modules[0].Bias != 0x10000 || len(modules[0].Ranges) != 1 ||
				modules[0].Ranges[0] != (Range{0x12000, 0x15000}) || len(made) != 0 {
				t.Errorf("%+v, %+v", modules, made)
			}
		})
	}
	const text = "12000-15000 r-xp 1000 fe:00 7 /a\n"
	for name, text := range map[string]string{
		"behind its data":                           head + text + data + "16000-17000 r-xp 0 00:00 0 \n",
		"where it has no code":                      head + "11000-12000 r-xp 0 00:00 0 \n" + text + data,
		"in the place of its data":                  head + text + "15000-16000 r-xp 0 00:00 0 \n",
		"longer than its code":                      head + "12000-16000 r-xp 0 00:00 0 \n" + "16000-17000 r--p 5000 fe:00 7 /a\n",
		"beside a file that is not loaded but read": "10000-12000 r--p 0 fe:00 7 /a\n12000-13000 r-xp 0 00:00 0 \n",
		"with a gap in memory":                      "12000-13000 r-xp 1000 fe:00 7 /a\n13800-14000 r-xp 0 00:00 0 \n" + data,
	} {
		t.Run("code made at run time belongs to nobody: "+name, func(t *testing.T) {
			_, made := inspectAll(parsed(t, text), library(t))
			if len(made) != 1 {
				t.Errorf("%+v", made)
			}
		})
	}
}

// FuzzModules feeds a process on paper with an ELF file on paper.
func FuzzModules(f *testing.F) {
	f.Add("1000-2000 r-xp 0 fe:00 7 /a\n2000-3000 r-xp 0 00:00 0 \n3000-4000 r--p 2000 fe:00 7 /a\n", []byte("\x7fELF"))
	f.Add("1000-2000 r-xp 0 0:0 0 [vdso]\n", []byte{})
	f.Fuzz(func(t *testing.T, text string, file []byte) {
		mappings, err := parseMaps(strings.NewReader(text))
		if err != nil {
			return
		}
		modules, _ := inspectAll(mappings, image(file))
		for _, m := range modules {
			if len(m.Ranges) == 0 {
				t.Fatalf("a module without code: %+v", m)
			}
			for i, r := range m.Ranges {
				if r.Start >= r.Limit || i > 0 && r.Start <= m.Ranges[i-1].Limit {
					t.Fatalf("ranges do not ascend: %+v", m.Ranges)
				}
			}
		}
	})
}
