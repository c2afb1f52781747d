package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

const (
	maxLink    = 4096    // bytes of the name in a link: no path is longer
	maxChecked = 4 << 30 // bytes of a file whose checksum is taken, which is some seconds' work
)

var errLink = errors.New("not a link to a debug file")

// DebugLink returns the name of the separate file with the debug data, and the CRC-32 of that file (.gnu_debuglink). The
// name has no directory. The error wraps ErrNoSection if there is no link.
func (f *File) DebugLink() (name string, checksum uint32, err error) {
	const section = ".gnu_debuglink"
	name, rest, err := f.link(section)
	if err != nil {
		return "", 0, err
	}
	padding := -(len(name) + 1) & 3
	if len(rest) < padding+4 || strings.ContainsRune(name, '/') || name == "." || name == ".." {
		return "", 0, fmt.Errorf("reading %s of %s: %w", section, f.name, errLink)
	}
	return name, order.Uint32(rest[padding:]), nil
}

// AlternateLink returns the path and the build ID, in lower-case hex, of the file into which dwz has moved debug data that
// several files share (.gnu_debugaltlink). A relative path begins where this file lies. The error wraps ErrNoSection if
// there is no link.
func (f *File) AlternateLink() (path, buildID string, err error) {
	const section = ".gnu_debugaltlink"
	path, id, err := f.link(section)
	if err != nil {
		return "", "", err
	}
	if len(id) == 0 || len(id) > maxBuildID {
		return "", "", fmt.Errorf("reading %s of %s: %w", section, f.name, errLink)
	}
	return path, hex.EncodeToString(id), nil
}

// link splits a section that begins with a name and a NUL.
func (f *File) link(section string) (name string, rest []byte, err error) {
	if s := f.find(section); s != nil && s.Size > maxLink+maxBuildID {
		return "", nil, fmt.Errorf("reading %s of %s: %w", section, f.name, errLink)
	}
	data, err := f.SectionData(section)
	if err != nil {
		return "", nil, err
	}
	before, rest, found := bytes.Cut(data, []byte{0})
	if !found || len(before) == 0 {
		return "", nil, fmt.Errorf("reading %s of %s: %w", section, f.name, errLink)
	}
	return string(before), rest, nil
}

// HasSymbolTable reports whether the file itself holds a symbol table for linkers and debuggers, .symtab, in which all
// functions are named that were not taken out on purpose.
func (f *File) HasSymbolTable() bool {
	s := f.find(".symtab")
	return s != nil && s.Size > 0 && s.Type != elf.SHT_NOBITS
}

// Checksum returns the CRC-32 of the whole file, as .gnu_debuglink has it. A file of more than 4 GiB is an error.
func (f *File) Checksum() (uint32, error) {
	if f.size > maxChecked {
		return 0, fmt.Errorf("%s: %d bytes are more than the %d whose checksum is taken", f.name, f.size, int64(maxChecked))
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyBuffer(sum, io.NewSectionReader(f.reader, 0, int64(f.size)), make([]byte, 1<<16)); err != nil {
		return 0, fmt.Errorf("reading %s: %w", f.name, err)
	}
	return sum.Sum32(), nil
}

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
