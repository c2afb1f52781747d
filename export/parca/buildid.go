package parca

import (
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
)

const (
	noteGNUBuildID = 3       // NT_GNU_BUILD_ID
	maxBuildID     = 64      // bytes; linkers write 8, 16, 20 or 32
	maxNotes       = 1 << 20 // bytes of one segment or section; loaded ones have some hundred
)

// readBuildID returns the GNU build ID of an ELF file in lower-case hex, and "" if it has none. It searches the note
// segments, which a stripped file keeps, then the section that linkers write. The file may be anything: a file that
// debug/elf cannot read is an error.
func readBuildID(r io.ReaderAt) (id string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			id, err = "", fmt.Errorf("reading ELF panicked: %v", cause)
		}
	}()
	file, err := elf.NewFile(r)
	if err != nil {
		return "", fmt.Errorf("not an ELF file, or damaged: %w", err)
	}
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		if id, err = idInNotes(file, p.Open(), p.Filesz, p.Align); id != "" {
			return id, nil
		}
	}
	if s := file.Section(".note.gnu.build-id"); s != nil {
		return idInNotes(file, s.Open(), s.Size, 4)
	}
	return "", err
}

// idInNotes reads entries of three words (name size, descriptor size, type), name and descriptor, both padded to align, which
// is 8 in segments that say so and 4 in all others.
func idInNotes(file *elf.File, r io.Reader, size, align uint64) (string, error) {
	if size > maxNotes {
		return "", fmt.Errorf("more than %d bytes of notes", maxNotes)
	}
	notes := make([]byte, size)
	if _, err := io.ReadFull(r, notes); err != nil {
		return "", err
	}
	if align != 8 {
		align = 4
	}
	pad := func(n uint64) uint64 { return (n + align - 1) &^ (align - 1) }
	for len(notes) >= 12 {
		total := uint64(len(notes))
		nameEnd := 12 + uint64(file.ByteOrder.Uint32(notes))
		desc := pad(nameEnd)
		descEnd := desc + uint64(file.ByteOrder.Uint32(notes[4:]))
		if nameEnd > total || descEnd > total {
			break
		}
		if file.ByteOrder.Uint32(notes[8:]) == noteGNUBuildID && string(notes[12:nameEnd]) == "GNU\x00" &&
			descEnd > desc && descEnd-desc <= maxBuildID {
			return hex.EncodeToString(notes[desc:descEnd]), nil
		}
		notes = notes[min(pad(descEnd), total):]
	}
	return "", nil
}
