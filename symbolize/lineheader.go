package symbolize

// fileLimit is the number of directories, and of files, of one line table that are believed. pathBytes bounds what
// debug/dwarf allocates for their names: it copies the directory's name in front of each file's.
const (
	fileLimit = 1 << 16
	pathBytes = fileLimit * pathLimit
)

// checkLineHeader makes sure that the line table at offset has room for the directories and files that it announces,
// and that their names are short.
func checkLineHeader(section []byte, offset int64) error {
	if offset < 0 || offset > int64(len(section)) {
		return errLying
	}
	c := cursor{bytes: section[offset:]}
	length, offsetSize := c.unitLength()
	c.bytes = c.take(length)
	version := c.number(2)
	if version >= 5 {
		c.take(2) // address and selector size
	}
	c.take(offsetSize + 4) // header length, instruction length, default of is_stmt, line base, line range
	if version >= 4 {
		c.take(1) // operations per instruction
	}
	if opcodeBase := c.number(1); opcodeBase > 0 {
		c.take(opcodeBase - 1)
	}
	good := version < 5 && skipNames(&c, 0) && skipNames(&c, 3) || version >= 5 && skipTables(&c, offsetSize)
	if !good || c.short {
		return errLying
	}
	return nil
}

// skipNames reads one of the two tables of a header before DWARF 5: names, each with some numbers, up to an empty one.
func skipNames(c *cursor, numbers int) bool {
	for range fileLimit {
		length := c.text()
		if length == 0 {
			return true
		}
		if length > pathLimit {
			return false
		}
		for range numbers {
			c.leb()
		}
	}
	return false
}

// skipTables reads the directories and the files of a DWARF 5 header.
func skipTables(c *cursor, offsetSize uint64) bool {
	limit := uint64(pathLimit)
	for range 2 {
		forms := make([]uint64, c.number(1))
		for i := range forms {
			c.leb()
			if forms[i] = c.leb(); forms[i] == formStrp {
				limit = textLimit
			}
		}
		if !skipEntries(c, forms, offsetSize, pathBytes/limit) {
			return false
		}
	}
	return true
}

// skipEntries reads the entries of one table (6.2.4.1).
func skipEntries(c *cursor, forms []uint64, offsetSize, limit uint64) bool {
	count := c.leb()
	if c.short || count > limit || count > 0 && len(forms) == 0 {
		return false
	}
	for range count {
		before := len(c.bytes)
		for _, form := range forms {
			if !skipForm(c, form, offsetSize) {
				return false
			}
		}
		if c.short || len(c.bytes) == before {
			return false
		}
	}
	return true
}

const formStrp = 0x0e // DW_FORM_strp: a name in .debug_str, where names may be longer than paths

// skipForm skips a value in one of the forms that line headers use. For any other form debug/dwarf reads nothing, and
// so does this. It reports false for a name that is too long.
func skipForm(c *cursor, form, offsetSize uint64) bool {
	switch form {
	case 0x08: // DW_FORM_string
		return c.text() <= pathLimit
	case formStrp, 0x1f, 0x1d: // DW_FORM_line_strp, strp_sup
		c.take(offsetSize)
	case 0x0b, 0x25: // DW_FORM_data1, strx1
		c.take(1)
	case 0x05, 0x26: // DW_FORM_data2, strx2
		c.take(2)
	case 0x27: // DW_FORM_strx3
		c.take(3)
	case 0x06, 0x28: // DW_FORM_data4, strx4
		c.take(4)
	case 0x07: // DW_FORM_data8
		c.take(8)
	case 0x1e: // DW_FORM_data16
		c.take(16)
	case 0x0f, 0x1a: // DW_FORM_udata, strx
		c.leb()
	case 0x09: // DW_FORM_block
		c.take(c.leb())
	}
	return true
}
