package mappings

import (
	"bytes"
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
	mappings, err := parseMaps(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return inspectAll(mappings, open)
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

func TestJoinedFragments(t *testing.T) {
	t.Run("huge pages between fragments of a file belong to it", func(t *testing.T) {
		for _, name := range []string{"", "/anon_hugepage (deleted)", "[anon:text]"} {
			modules := modulesOf(t, `1000-2000 r-xp 0 fe:00 7 /a
2000-3000 r-xp 0 00:00 0 `+name+`
3000-4000 r-xp 0 00:10 9 `+name+`
4000-5000 r--p 3000 fe:00 7 /a
`, noFiles{})
			if len(modules) != 1 || len(modules[0].Ranges) != 1 || modules[0].Ranges[0] != (Range{0x1000, 0x4000}) {
				t.Errorf("%q: %+v", name, modules)
			}
		}
	})
	for name, text := range map[string]string{
		"with a gap in memory":  "1000-2000 r-xp 0 fe:00 7 /a\n2000-3000 r-xp 0 00:00 0 \n4000-5000 r-xp 3000 fe:00 7 /a\n",
		"with a jump in offset": "1000-2000 r-xp 0 fe:00 7 /a\n2000-3000 r-xp 0 00:00 0 \n3000-5000 r-xp 1000 fe:00 7 /a\n",
		"between two files":     "1000-2000 r-xp 0 fe:00 7 /a\n2000-3000 r-xp 0 00:00 0 \n3000-5000 r-xp 2000 fe:00 8 /b\n",
		"at the end":            "1000-2000 r-xp 0 fe:00 7 /a\n2000-3000 r-xp 0 00:00 0 \n",
		"at the start":          "2000-3000 r-xp 0 00:00 0 \n3000-5000 r-xp 2000 fe:00 8 /b\n",
	} {
		t.Run("anonymous code "+name+" belongs to nobody", func(t *testing.T) {
			for _, m := range modulesOf(t, text, noFiles{}) {
				for _, r := range m.Ranges {
					if r.Start < 0x3000 && r.Limit > 0x2000 {
						t.Errorf("%+v", m)
					}
				}
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
		for _, m := range inspectAll(mappings, image(file)) {
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
