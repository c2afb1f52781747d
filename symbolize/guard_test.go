package symbolize

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// lineTable builds a DWARF 5 line table whose header ends in the given tables of directories and files.
func lineTable(tables ...byte) []byte {
	header := []byte{5, 0, 8, 0, 0, 0, 0, 0, 1, 1, 1, 0xfb, 14, 1} // version to opcode base
	body := append(header, tables...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestALineTableThatAnnouncesMoreFilesThanItHoldsIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		table []byte
		want  error
	}{
		"one directory, one file":   {lineTable(1, 1, 8, 1, '/', 0, 1, 1, 8, 1, 'a', 0), nil},
		"a trillion directories":    {lineTable(1, 1, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, '/', 0), errLying},
		"entries of no bytes":       {lineTable(0, 0x7f), errLying},
		"two files, one name":       {lineTable(1, 1, 8, 1, '/', 0, 1, 1, 8, 2, 'a', 0), errLying},
		"a name without end":        {lineTable(append([]byte{1, 1, 8, 1}, strings.Repeat("x", 5000)...)...), errLying},
		"a name longer than a path": {lineTable(append([]byte{1, 1, 8, 1}, strings.Repeat("x", 5000)+"\x00\x00\x00"...)...), errLying},
		"an empty section":          {nil, errLying},
	} {
		if err := checkLineHeader(c.table, 0); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if err := checkLineHeader(nil, 1); err == nil {
		t.Error("an offset beyond the section is accepted")
	}
}

func TestAbbreviationTablesThatOverlapAreRefused(t *testing.T) {
	table := []byte{1, 0x11, 1, 3, 8, 0, 0, 0} // one entry: code, tag, children, name as string, end, end
	two := append(bytes.Clone(table), table...)
	if err := checkAbbrevs(two, []uint64{8, 0, 8}); err != nil {
		t.Error(err)
	}
	for _, offset := range []uint64{3, 17} {
		if err := checkAbbrevs(two, []uint64{0, offset}); !errors.Is(err, errLying) {
			t.Errorf("offset %d: %v", offset, err)
		}
	}
}

func TestAStringThatIsTooLongIsRefused(t *testing.T) {
	section := append(bytes.Repeat([]byte{'x'}, 99), 0)
	if err := checkStrings(section, 100); err != nil {
		t.Error(err)
	}
	if err := checkStrings(section, 99); !errors.Is(err, errLying) {
		t.Error(err)
	}
}
