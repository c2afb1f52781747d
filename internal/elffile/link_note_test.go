package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"testing"
)

// gnuNote is a note of the owner GNU as a linker writes it.
func gnuNote(kind uint32, desc []byte, align int) []byte {
	note := make([]byte, 12)
	order.PutUint32(note, 4)
	order.PutUint32(note[4:], uint32(len(desc)))
	order.PutUint32(note[8:], kind)
	note = append(note, "GNU\x00"...)
	note = append(note, desc...)
	for len(note)%align != 0 {
		note = append(note, 0)
	}
	return note
}

func TestBuildID(t *testing.T) {
	id := []byte{0xab, 0xcd, 1, 2, 3}
	im := native()
	for _, align := range []int{4, 8} {
		t.Run("a build ID is found behind other notes", func(t *testing.T) {
			notes := append(gnuNote(5, []byte{1, 2, 3, 4, 5, 6}, align), gnuNote(3, id, align)...)
			im.programs = []content{{kind: uint32(elf.PT_NOTE), data: notes, align: uint64(align)}}
			if got, err := im.open(t).BuildID(); got != "abcd010203" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	t.Run("without note segments the section holds the build ID", func(t *testing.T) {
		im.programs = nil
		im.sections = []content{{name: ".note.gnu.build-id", kind: uint32(elf.SHT_NOTE), data: gnuNote(3, id, 4)}}
		if got, err := im.open(t).BuildID(); got != "abcd010203" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("a file without notes has no build ID and no error", func(t *testing.T) {
		if got, err := native().open(t).BuildID(); got != "" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("notes beyond the end of the file are an error", func(t *testing.T) {
		im := native()
		im.programs = []content{{kind: uint32(elf.PT_NOTE), claims: 1 << 40}}
		if got, err := im.open(t).BuildID(); got != "" || err == nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("a build ID of an owner that is not GNU is none", func(t *testing.T) {
		note := gnuNote(3, id, 4)
		copy(note[12:], "ABC\x00")
		if got := buildIDNote(note, 4); got != "" {
			t.Errorf("%q", got)
		}
	})
	t.Run("an empty or outsized build ID is none", func(t *testing.T) {
		for _, desc := range [][]byte{nil, make([]byte, maxBuildID+1)} {
			if got := buildIDNote(gnuNote(3, desc, 4), 4); got != "" {
				t.Errorf("%q", got)
			}
		}
	})
	t.Run("a note that does not fit is none", func(t *testing.T) {
		whole := gnuNote(3, id, 4)
		for cut := range len(whole) - 3 {
			if got := buildIDNote(whole[:cut], 4); got != "" {
				t.Errorf("%d bytes: %q", cut, got)
			}
		}
	})
}

func FuzzNotes(f *testing.F) {
	whole := gnuNote(3, []byte{1, 2, 3, 4, 5}, 4)
	f.Add(whole, uint64(4))
	f.Add(append(gnuNote(5, make([]byte, 17), 8), gnuNote(3, make([]byte, 20), 8)...), uint64(8))
	f.Add(bytes.Repeat([]byte{0xff}, 32), uint64(0))
	f.Fuzz(func(t *testing.T, notes []byte, align uint64) {
		for rest := notes; len(rest) > 0; {
			n, left := nextNote(rest, align)
			if len(left) >= len(rest) || len(n.name)+len(n.desc) > len(rest) {
				t.Fatalf("%d bytes left of %d after %+v", len(left), len(rest), n)
			}
			rest = left
		}
		id, err := hex.DecodeString(buildIDNote(notes, align))
		if err != nil || len(id) > maxBuildID || !bytes.Contains(notes, id) {
			t.Fatalf("build ID %x of %x: %v", id, notes, err)
		}
	})
}
