package pclntab

import (
	"encoding/binary"
	"errors"
	"math"
)

// module is the part of runtime.moduledata that a reader needs.
type module struct {
	header                          header
	names, units, files, pcs, funcs area
	functab                         area
	text, low, high                 uint64 // where the code begins, and the part that the table covers
	trees                           uint64 // gofunc, from which the offsets of inline trees count
}

// area is a slice as the module data states it.
type area struct{ address, length uint64 }

// The words of moduledata up to the one that says how many text sections there are. Their order is the same from Go 1.20
// on, but Go 1.26 put one more before the text sections.
const (
	wordHeader, wordNames, wordUnits, wordFiles, wordPCs, wordFuncs, wordFunctab = 0, 1, 4, 7, 10, 13, 16

	wordLow, wordHigh, wordText, wordTrees, wordSections, moduleWords = 20, 21, 22, 40, 41, 45
)

var errNotModule = errors.New("not the module data of this table")

// parseModule reads module data and checks it against the header, as the runtime does at start: a word that happens to
// equal the header's address is not followed by these.
func parseModule(words *[moduleWords]uint64, h header) (*module, error) {
	slice := func(i int) area { return area{words[i], words[i+1]} }
	m := &module{
		header: h, names: slice(wordNames), units: slice(wordUnits), files: slice(wordFiles), pcs: slice(wordPCs),
		funcs: slice(wordFuncs), functab: slice(wordFunctab),
		text: words[wordText], low: words[wordLow], high: words[wordHigh], trees: words[wordTrees],
	}
	agree := words[wordHeader] == h.address &&
		m.names.address == h.address+h.names && m.units.address == h.address+h.units &&
		m.files.address == h.address+h.files && m.pcs.address == h.address+h.pcs &&
		m.funcs.address == h.address+h.funcs && m.functab.address == m.funcs.address &&
		m.functab.length == h.functions+1 && h.functions > 0 && h.functions < math.MaxUint32 &&
		m.text <= m.low && m.low < m.high && m.high-m.text <= math.MaxUint32
	if !agree || textSections(words) > 1 {
		return nil, errNotModule
	}
	return m, nil
}

// textSections is the length of a slice, whose capacity is the same, one word further in Go 1.26 than before.
func textSections(words *[moduleWords]uint64) uint64 {
	if words[wordSections+1] == words[wordSections+2] {
		return words[wordSections+1]
	}
	return words[wordSections+2]
}

func decodeWords(data []byte) (words [moduleWords]uint64) {
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(data[i*word:])
	}
	return words
}
