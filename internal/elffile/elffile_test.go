package elffile

import (
	"debug/elf"
	"os"
	"testing"
)

func TestOpen(t *testing.T) {
	t.Run("headers agree with debug/elf", func(t *testing.T) {
		path, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		want, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		if len(f.sections) != len(want.Sections) || len(f.programs) != len(want.Progs) {
			t.Fatal(len(f.sections), len(want.Sections))
		}
		id, err := f.BuildID()
		t.Log(id, err, f.Segments())
		s, err := f.Symbols()
		t.Log(len(s), err)
		_, err = f.DWARF()
		t.Log(err)
	})
}
