package elffile

import (
	"debug/elf"
	"errors"
	"fmt"
	"strings"
)

// The most sections, and bytes of their names, that are believed: far above any linked file; only object files come near
// the first.
const (
	maxSections     = 1 << 18
	maxSectionNames = 1 << 26
)

// header is one entry of the section header table, with the offset of its name in the table of names.
type header struct {
	elf.SectionHeader
	name uint32
}

func (f *File) readSections(t tables) ([]elf.SectionHeader, error) {
	if t.sections == 0 {
		return nil, nil
	}
	if err := f.extend(&t); err != nil {
		return nil, err
	}
	if t.sectionCount > maxSections {
		return nil, fmt.Errorf("%d sections are more than %d", t.sectionCount, maxSections)
	}
	headers, err := f.sectionHeaders(t)
	if err != nil {
		return nil, err
	}
	return f.nameSections(headers, t.names)
}

// extend completes the tables of a file that has no room for its counts in the ELF header: they stand in section 0.
func (f *File) extend(t *tables) error {
	first := *t
	first.sectionCount = 1
	zero, err := f.sectionHeaders(first)
	if err != nil {
		return err
	}
	if t.sectionCount == 0 {
		t.sectionCount = zero[0].FileSize
	}
	if t.names == uint64(elf.SHN_XINDEX) {
		t.names = uint64(zero[0].Link)
	}
	return nil
}

func (f *File) sectionHeaders(t tables) ([]header, error) {
	if err := f.checkTable(t.sectionCount, t.sectionStride, elf.Section64{}); err != nil {
		return nil, err
	}
	raw := make([]elf.Section64, t.sectionCount)
	if err := f.decodeAt(t.sections, raw); err != nil {
		return nil, err
	}
	headers := make([]header, len(raw))
	for i, s := range raw {
		headers[i] = header{elf.SectionHeader{
			Type: elf.SectionType(s.Type), Flags: elf.SectionFlag(s.Flags), Addr: s.Addr,
			Offset: s.Off, FileSize: s.Size, Size: s.Size, Link: s.Link,
		}, s.Name}
	}
	return headers, nil
}

func (f *File) nameSections(headers []header, names uint64) ([]elf.SectionHeader, error) {
	if names >= uint64(len(headers)) {
		return nil, fmt.Errorf("the names are in section %d of %d", names, len(headers))
	}
	if headers[names].Flags&elf.SHF_COMPRESSED != 0 {
		return nil, errors.New("the names are compressed")
	}
	if headers[names].FileSize > maxSectionNames {
		return nil, fmt.Errorf("%d bytes of names are more than %d", headers[names].FileSize, maxSectionNames)
	}
	data, err := f.bytes(headers[names].Offset, headers[names].FileSize)
	if err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	table := string(data)
	sections := make([]elf.SectionHeader, len(headers))
	for i, h := range headers {
		sections[i] = h.SectionHeader
		sections[i].Name = stringAt(table, h.name)
	}
	return sections, nil
}

// maxName bounds one name: mangled C++ names reach tens of kilobytes.
const maxName = 1 << 16

// stringAt returns the NUL-terminated string at an offset of a string table, and "" where there is none.
func stringAt(table string, offset uint32) string {
	if uint64(offset) >= uint64(len(table)) {
		return ""
	}
	rest := table[offset:]
	rest = rest[:min(len(rest), maxName)]
	end := strings.IndexByte(rest, 0)
	if end < 0 {
		return ""
	}
	return rest[:end]
}
