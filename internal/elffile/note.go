package elffile

import (
	"debug/elf"
	"encoding/hex"
	"fmt"
)

const (
	noteGNUBuildID = 3       // NT_GNU_BUILD_ID
	maxBuildID     = 64      // bytes; linkers write 8, 16, 20 or 32
	maxNotes       = 1 << 20 // bytes in all that are searched; the notes of a loaded file have some hundred
)

// BuildID returns the GNU build ID in lower-case hex, and "" if the file has none. It is looked for in the note segments,
// which a file keeps when it is stripped and which the loader maps, then in the section that linkers give it.
func (f *File) BuildID() (string, error) {
	var failure error
	left := uint64(maxNotes)
	for _, p := range f.programs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		if p.Filesz > left {
			failure = errNotes
			continue
		}
		data, err := f.bytes(p.Off, p.Filesz)
		if err != nil {
			failure = err
			continue
		}
		left -= p.Filesz
		if id := buildIDNote(data, p.Align); id != "" {
			return id, nil
		}
	}
	if s := f.find(".note.gnu.build-id"); s != nil {
		if s.FileSize > maxNotes {
			return "", errNotes
		}
		data, err := f.content(s)
		if err != nil {
			return "", err
		}
		return buildIDNote(data, 4), nil
	}
	return "", failure
}

var errNotes = fmt.Errorf("more than %d bytes of notes", maxNotes)

func buildIDNote(notes []byte, align uint64) string {
	for len(notes) > 0 {
		var n note
		n, notes = nextNote(notes, align)
		if n.kind == noteGNUBuildID && n.name == "GNU\x00" && len(n.desc) > 0 && len(n.desc) <= maxBuildID {
			return hex.EncodeToString(n.desc)
		}
	}
	return ""
}

// note is one entry of a note segment. Its name includes the final NUL.
type note struct {
	name string
	kind uint32
	desc []byte
}

// nextNote splits the first note off. Three words (name size, descriptor size, type) are followed by name and descriptor,
// each padded to a multiple of align, counted from the start of the note; align is 8 in segments that say so and 4 in all
// others. A note that does not fit ends the notes.
func nextNote(notes []byte, align uint64) (note, []byte) {
	const head = 12
	if align != 8 {
		align = 4
	}
	total := uint64(len(notes))
	if total < head {
		return note{}, nil
	}
	nameEnd := head + uint64(order.Uint32(notes))
	desc := roundUp(nameEnd, align)
	descEnd := desc + uint64(order.Uint32(notes[4:]))
	if nameEnd > total || desc > total || descEnd > total {
		return note{}, nil
	}
	n := note{name: string(notes[head:nameEnd]), kind: order.Uint32(notes[8:]), desc: notes[desc:descEnd]}
	return n, notes[min(roundUp(descEnd, align), total):]
}

func roundUp(value, align uint64) uint64 { return (value + align - 1) &^ (align - 1) }
