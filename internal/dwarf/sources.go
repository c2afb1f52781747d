package dwarf

import "io"

// Section is the contents of one section, decompressed: Bytes if they are in memory, otherwise Size bytes of Reader,
// which are read as they are needed. The zero Section is one that the file does not have.
type Section struct {
	Bytes    []byte
	Unpacked bool        // Bytes were decompressed for this call
	Reader   io.ReaderAt // safe for use by several goroutines
	Size     uint64      // of Reader's bytes
}

// Source is a file with debug sections. Its method is called once for each section, from several goroutines.
type Source interface {
	// Section returns the section of that name, such as ".debug_info", or the zero Section if there is none.
	Section(name string) (Section, error)
}

// Program is where the debug data of one program or library comes from. The functions are called when something refers
// to such a file; each may be nil, and each may return a nil Source if there is no such file. A Source that is an
// io.Closer is closed after use.
type Program struct {
	Source // the file that holds the debug data

	// Alternate opens the file that the .gnu_debugaltlink section names, into which dwz has moved what several
	// programs have in common.
	Alternate func() (Source, error)

	// Split opens the file into which the compiler wrote the larger part of a unit: a .dwo file, or a .dwp package,
	// recognised by its .debug_cu_index section, that holds the unit.
	Split func(SplitUnit) (Source, error)

	// IsCode reports whether an ELF address lies in the program's code. Entries that begin elsewhere describe what the
	// linker has dropped.
	IsCode func(address uint64) bool
}

// SplitUnit is what a skeleton unit says about the file with its other part.
type SplitUnit struct {
	ID        uint64 // DW_AT_dwo_id, or the unit ID in the header of DWARF 5
	Name      string // DW_AT_dwo_name, often relative to Directory
	Directory string // DW_AT_comp_dir
}

// read returns the bytes from offset up to limit, as many as it has at once: all that are in memory, otherwise what fits
// into the buffer.
func (s *Section) read(offset, limit uint64, buffer []byte) []byte {
	if s.Reader == nil {
		return s.Bytes[offset:limit]
	}
	n, _ := s.Reader.ReadAt(buffer[:min(limit-offset, uint64(len(buffer)))], int64(offset))
	return buffer[:n]
}

func (s *Section) size() uint64 {
	if s.Reader == nil {
		return uint64(len(s.Bytes))
	}
	return s.Size
}
