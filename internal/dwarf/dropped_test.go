package dwarf

import "testing"

// lineBytes is a line table of DWARF 4 for one file with sequences of one row each: a line, and the code that it covers.
func lineBytes(sequences ...[3]uint64) []byte {
	body := []byte{1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, '/', 'a', 0, 0, 0, 0, 0}
	table := append(little.AppendUint32(little.AppendUint16(nil, 4), uint32(len(body))), body...)
	for _, s := range sequences {
		line, low, high := s[0], s[1], s[2]
		table = little.AppendUint64(append(table, opExtended, 9, opSetAddress), low)
		table = append(table, opAdvanceLine, byte(line-1), opCopy)
		table = little.AppendUint64(append(table, opExtended, 9, opSetAddress), high)
		table = append(table, opExtended, 1, opEndSequence)
	}
	return append(little.AppendUint32(nil, uint32(len(table))), table...)
}

// linedAbbrevs are the abbreviations of a unit with DW_AT_stmt_list, DW_AT_low_pc and DW_AT_high_pc.
var linedAbbrevs = []byte{1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 6, 0, 0, 0}

func TestRowsOfWhatTheLinkerHasDroppedDoNotCount(t *testing.T) {
	entries := little.AppendUint32([]byte{1}, 0) // DW_AT_stmt_list
	p := handmade(inMemory{
		".debug_info":   unitBytes(appendRange(entries, 0x1000, 0x100)),
		".debug_abbrev": linedAbbrevs,
		".debug_line":   lineBytes([3]uint64{7, 0, 0x2000}, [3]uint64{9, 0x1000, 0x1010}),
	})
	p.IsCode = func(address uint64) bool { return address >= 0x1000 }
	answers := find(t, p, []uint64{0x1008, 0x1080})
	if want := (Position{File: "/a", Line: 9}); answers[0].Position != want || answers[1].Position != (Position{}) {
		t.Errorf("%+v, want %+v, then nothing", answers, want)
	}
}
