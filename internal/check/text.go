package check

import "unicode/utf8"

func (c *checker) checkStrings() {
	if len(c.strings) == 0 || len(c.strings[0]) > 0 {
		c.found(stringZero, "string_table[0]")
	}
	seen := make(map[string]struct{}, len(c.strings))
	for i, s := range c.strings {
		if !utf8.ValidString(s) {
			c.found(stringUTF8, "string_table[%d]", i)
		}
		if len(s) > pyroscopeSymbol {
			c.found(stringLength, "string_table[%d]", i)
		}
		if _, again := seen[s]; again {
			c.found(stringTwice, "string_table[%d]", i)
		}
		seen[s] = struct{}{}
	}
}

// text returns a string of the table. A missing string is a fault at the given position, and empty.
func (c *checker) text(index int64, where string, args ...any) string {
	if uint64(index) >= uint64(max(1, len(c.strings))) {
		c.found(stringReference, where, args...)
	}
	return c.lookup(index)
}

// lookup returns a string of the table, "" if it is missing.
func (c *checker) lookup(index int64) string {
	if uint64(index) >= uint64(len(c.strings)) {
		return ""
	}
	return c.strings[index]
}
