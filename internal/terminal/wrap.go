package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Width returns how many columns plain text takes: one for each character but marks that are drawn over another, and two for
// those of East Asia and for pictures.
func Width(text string) (columns int) {
	for _, r := range text {
		columns += widthOf(r)
	}
	return columns
}

func widthOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// Cut shortens plain text to so many columns, and shows by "..." that it did.
func Cut(text string, columns int) string {
	if Width(text) <= columns {
		return text
	}
	const dots = "..."
	if columns < len(dots)+1 {
		return head(text, columns)
	}
	return head(text, columns-len(dots)) + dots
}

// head returns the beginning of text that fits into so many columns.
func head(text string, columns int) string {
	for at, r := range text {
		if columns -= widthOf(r); columns < 0 {
			return text[:at]
		}
	}
	return text
}

// Wrap breaks plain text into lines of so many columns, between words. Lines after the first begin with the indent. A word
// that is longer than a line is broken.
func Wrap(text, indent string, columns int) (lines []string) {
	columns = max(columns, Width(indent)+8)
	line, empty := "", true
	for _, word := range strings.Fields(text) {
		if !empty && Width(line)+1+Width(word) > columns {
			lines, line, empty = append(lines, line), indent, true
		}
		for room := columns - Width(line); empty && Width(word) > room; room = columns - Width(line) {
			part := head(word, room)
			if part == "" {
				_, size := utf8.DecodeRuneInString(word)
				part = word[:size]
			}
			lines, line, word = append(lines, line+part), indent, word[len(part):]
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return append(lines, line)
}
