package pprof

import (
	"hash/maphash"
	"strings"
	"unicode/utf8"
)

// text returns the number of s in the table of strings, and writes it there if it is new. A string that is not UTF-8 is
// replaced by its valid form; the raw form is remembered beside it, so that it is converted only once.
func (e *Encoder) text(s string) uint64 {
	hash := maphash.String(seed, s)
	if id, known := e.texts.find(s, hash); known {
		return uint64(id)
	}
	if !utf8.ValidString(s) {
		id := e.text(strings.ToValidUTF8(s, "\uFFFD"))
		e.texts.add(s, hash, uint32(id))
		return id
	}
	id := e.textCount
	e.textCount++
	e.texts.add(s, hash, uint32(id))
	e.out.text(profileStringTable, s)
	return id
}
