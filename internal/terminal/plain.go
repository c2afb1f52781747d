package terminal

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Plain returns text with every character escaped that a terminal would obey, or that is not to be seen: control characters
// (also line breaks), and marks that change the direction of text. The escapes are those of JSON, \u001b, so that JSON stays
// JSON. Bytes that are not UTF-8 become \ufffd.
func Plain(text string) string { return escape(text, "") }

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

// Writer writes text that is plain but for its line breaks and tabs.
type Writer struct{ To io.Writer }

// Write writes whole characters: one that two calls share becomes two that are not UTF-8.
func (w Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.To, escape(string(p), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}
