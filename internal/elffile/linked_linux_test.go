package elffile

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

const program = `int twice(int x) { return 2 * x; }
int main(void) { return twice(0); }
`

// link compiles the program. If the compiler does not know a flag, the test is skipped.
func link(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, output := filepath.Join(dir, "program.c"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("gcc", append([]string{"-o", output, source}, flags...)...).CombinedOutput()
	if err != nil && len(flags) > 0 {
		t.Skipf("gcc does not take %v: %s", flags, text)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return output
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// realFiles are linked by different linkers: gcc's, Go's.
func realFiles(t *testing.T) map[string]string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"a C program": link(t), "a C program with debug data": link(t, "-g"), "this test": self}
}

func TestAgreesWithDebugELF(t *testing.T) {
	for what, path := range realFiles(t) {
		t.Run("sections, segments and functions of "+what+" are those of debug/elf", func(t *testing.T) {
			got := open(t, path)
			want, err := elf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer want.Close()
			compareSections(t, got, want)
			compareSegments(t, got, want)
			compareFunctions(t, got, want)
		})
	}
}

func compareSections(t *testing.T, got *File, want *elf.File) {
	t.Helper()
	if len(got.sections) != len(want.Sections) {
		t.Fatalf("%d sections, want %d", len(got.sections), len(want.Sections))
	}
	for _, s := range want.Sections {
		if s.Type == elf.SHT_NULL || s.Type == elf.SHT_NOBITS {
			continue
		}
		data, err := got.SectionData(s.Name)
		wantData, wantErr := s.Data()
		if !bytes.Equal(data, wantData) || err != nil || wantErr != nil {
			t.Errorf("%s: %d bytes, %v; want %d, %v", s.Name, len(data), err, len(wantData), wantErr)
		}
	}
}

func compareSegments(t *testing.T, got *File, want *elf.File) {
	t.Helper()
	var segments []Segment
	for _, p := range want.Progs {
		if p.Type == elf.PT_LOAD {
			segments = append(segments, Segment{p.Off, p.Vaddr, p.Filesz, p.Memsz, p.Flags&elf.PF_X != 0})
		}
	}
	if !slices.Equal(got.Segments(), segments) {
		t.Errorf("%+v, want %+v", got.Segments(), segments)
	}
}

func compareFunctions(t *testing.T, got *File, want *elf.File) {
	t.Helper()
	symbols, err := got.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[Symbol]bool)
	for _, s := range symbols {
		known[s] = true
	}
	static, _ := want.Symbols()
	dynamic, _ := want.DynamicSymbols()
	for _, s := range append(static, dynamic...) {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF &&
			!known[Symbol{unversioned(s.Name), s.Value, s.Size}] {
			t.Errorf("%+v is missing", s)
		}
	}
}

func TestAgreesWithReadelf(t *testing.T) {
	for what, path := range realFiles(t) {
		t.Run("the build ID of "+what+" is the one that readelf prints", func(t *testing.T) {
			text, err := exec.Command("readelf", "-n", path).Output()
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if match := regexp.MustCompile(`Build ID: ([0-9a-f]+)`).FindSubmatch(text); match != nil {
				want = string(match[1])
			}
			if got, err := open(t, path).BuildID(); got != want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestDWARF(t *testing.T) {
	for _, flags := range [][]string{
		{"-g"}, {"-g", "-gz=zlib"}, {"-g", "-gz=zlib-gnu"}, {"-g", "-gz=zstd"}, {"-gdwarf-4", "-fdebug-types-section"},
	} {
		t.Run("DWARF names the functions of a program linked with "+flags[len(flags)-1], func(t *testing.T) {
			f := open(t, link(t, flags...))
			data, err := f.DWARF()
			if err != nil || !f.HasDWARF() {
				t.Fatal(err)
			}
			if !functions(t, data)["twice"] {
				t.Error("no function twice")
			}
		})
	}
	t.Run("a program without debug data has no DWARF, which is ErrNoSection", func(t *testing.T) {
		f := open(t, link(t))
		if _, err := f.DWARF(); !errors.Is(err, ErrNoSection) || f.HasDWARF() {
			t.Error(err)
		}
	})
}

func functions(t *testing.T, data *dwarf.Data) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for reader := data.Reader(); ; {
		entry, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		if entry == nil {
			return names
		}
		if name, ok := entry.Val(dwarf.AttrName).(string); ok && entry.Tag == dwarf.TagSubprogram {
			names[name] = true
		}
	}
}

func TestEhFrame(t *testing.T) {
	for _, flag := range []string{"-O1", "-no-pie", "-fuse-ld=gold", "-fuse-ld=lld"} {
		t.Run("without section headers .eh_frame is found all the same, "+flag, func(t *testing.T) {
			path := link(t, flag)
			want, wantAddr, err := open(t, path).EhFrame()
			if err != nil {
				t.Fatal(err)
			}
			got, addr, err := withoutSections(t, path).EhFrame()
			if err != nil || addr != wantAddr {
				t.Fatalf("at %#x, %v; want %#x", addr, err, wantAddr)
			}
			// The section ends in a length of 0, perhaps padded, which is left out where it marks the end.
			if !bytes.HasPrefix(want, got) || len(bytes.Trim(want[len(got):], "\x00")) > 0 {
				t.Errorf("%d bytes, want %d", len(got), len(want))
			}
		})
	}
	t.Run("a file without unwind data is ErrNoSection", func(t *testing.T) {
		if data, _, err := native().open(t).EhFrame(); !errors.Is(err, ErrNoSection) || data != nil {
			t.Error(err)
		}
	})
}

// withoutSections is the file as a tool leaves it that strips the section headers.
func withoutSections(t *testing.T, path string) *File {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(data[40:], 0)
	binary.LittleEndian.PutUint16(data[60:], 0)
	f, err := New(bytes.NewReader(data), int64(len(data)), path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTruncatedFiles(t *testing.T) {
	t.Run("a file cut anywhere gives errors, and says that it is cut", func(t *testing.T) {
		data, err := os.ReadFile(link(t, "-g"))
		if err != nil {
			t.Fatal(err)
		}
		for size := 0; size < len(data); size += 61 {
			f, err := New(bytes.NewReader(data[:size]), int64(size), "cut")
			if err != nil {
				continue
			}
			checkAnswers(t, f, size)
			end := uint64(0)
			for _, s := range f.Segments() {
				end = max(end, s.Offset+s.Filesz)
			}
			if f.Truncated() != (uint64(size) < end) {
				t.Errorf("%d bytes: truncated %v, segments end at %d", size, f.Truncated(), end)
			}
		}
	})
}
