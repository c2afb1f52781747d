package plain

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns text with every character escaped that a terminal would obey, or that is not to be seen: control characters
// (also line breaks), and marks that change the direction of text. The escapes are those of JSON, \u001b, so that JSON stays
// JSON. Bytes that are not UTF-8 become \ufffd.
func Text(text string) string { return escape(text, "") }

// Lines returns text as Text does, but leaves line breaks and tabs.
func Lines(text string) string { return escape(text, "\n\t") }

// escape leaves the characters of kept as they are.
func escape(text, kept string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return hidden(r) || r == utf8.RuneError }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune(kept, r):
			b.WriteRune(r)
		case r > 0xffff && hidden(r):
			high, low := utf16.EncodeRune(r)
			writeEscape(&b, high)
			writeEscape(&b, low)
		case r == utf8.RuneError || hidden(r):
			writeEscape(&b, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func writeEscape(b *strings.Builder, r rune) {
	hex := strconv.FormatInt(int64(r), 16)
	b.WriteString(`\u` + strings.Repeat("0", 4-len(hex)) + hex)
}

// hidden reports whether a character is none that is seen. Zl and Zp are line breaks of Unicode's own.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs)
}

// Writer writes text as Lines returns it.
type Writer struct {
	To   io.Writer
	rest []byte // the beginning of a character
}

// Write keeps the beginning of a character until the next call. A text that ends with a line break is written whole.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	whole := len(text)
	for at := len(text) - 1; at >= max(0, len(text)-utf8.UTFMax); at-- {
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	w.rest = append([]byte(nil), text[whole:]...)
	if _, err := w.To.Write([]byte(Lines(string(text[:whole])))); err != nil {
		return 0, err
	}
	return len(p), nil
}
