package pclntab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// errNoTable reports that the file has no Go code, or none whose table this package can read.
var errNoTable = errors.New("no Go function table")

// candidateLimit bounds the addresses that are tried as a header, and for each as module data.
const candidateLimit = 16

// finder looks for a table in a file.
type finder struct {
	file        *elffile.File
	relocations relocations
}

// find returns the table's module data.
func find(f *elffile.File) (*module, error) {
	search := finder{file: f}
	headers := search.headers()
	if len(headers) > 0 {
		search.relocations = readRelocations(f)
	}
	for _, h := range headers {
		if m := search.module(h); m != nil {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", f.Name(), errNoTable)
}

// headers returns the headers in the table's own sections. Where a C compiler linked a library before Go 1.26, the table is
// somewhere in its .data.rel.ro; in a file without section headers it is anywhere.
func (s *finder) headers() (found []header) {
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if section, ok := s.file.Section(name); ok {
			data, _ := s.file.At(section.Addr, headerSize)
			if h, err := parseHeader(data, section.Addr); err == nil {
				found = append(found, h)
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	if _, ok := s.file.Section(".go.buildinfo"); ok {
		section, _ := s.file.Section(".data.rel.ro")
		return s.scanHeaders(section.Addr, section.Size)
	}
	if _, ok := s.file.Section(".text"); ok {
		return nil
	}
	for _, segment := range s.file.Segments() {
		found = append(found, s.scanHeaders(segment.Vaddr, segment.Filesz)...)
	}
	return found[:min(len(found), candidateLimit)]
}

// scanHeaders looks at every aligned word of a range.
func (s *finder) scanHeaders(address, size uint64) (found []header) {
	var first [4]byte
	binary.LittleEndian.PutUint32(first[:], magic)
	for _, at := range s.scan(address, size, first[:]) {
		data, _ := s.file.At(at, headerSize)
		if h, err := parseHeader(data, at); err == nil {
			found = append(found, h)
		}
	}
	return found
}

// chunk is how much is read at once: a multiple of the word, so that no aligned word is cut.
const chunk = 1 << 18

// scan lists the aligned addresses in a range where the pattern begins, at most candidateLimit.
func (s *finder) scan(address, size uint64, pattern []byte) (addresses []uint64) {
	var buffer []byte
	for size > 0 && len(addresses) < candidateLimit {
		if buffer == nil {
			buffer = make([]byte, min(size, chunk))
		}
		data := buffer[:min(size, chunk)]
		if s.file.ReadMemory(data, address) != nil {
			return addresses
		}
		for from := 0; len(addresses) < candidateLimit; {
			at := bytes.Index(data[from:], pattern)
			if at < 0 {
				break
			}
			from += at + 1
			if found := address + uint64(from-1); found%word == 0 {
				addresses = append(addresses, found)
			}
		}
		address, size = address+uint64(len(data)), size-uint64(len(data))
	}
	return addresses
}

// module returns the module data that belongs to a header; nil if there is none.
func (s *finder) module(h header) *module {
	if section, ok := s.file.Section(".go.module"); ok {
		if m := s.moduleAt(section.Addr, h); m != nil {
			return m
		}
	}
	for _, at := range s.relocations.pointersTo(h.address, candidateLimit) {
		if m := s.moduleAt(at, h); m != nil {
			return m
		}
	}
	pattern := binary.LittleEndian.AppendUint64(nil, h.address)
	for _, segment := range s.file.Segments() {
		if segment.Exec {
			continue
		}
		for _, at := range s.scan(segment.Vaddr, segment.Filesz, pattern) {
			if m := s.moduleAt(at, h); m != nil {
				return m
			}
		}
	}
	return nil
}

func (s *finder) moduleAt(address uint64, h header) *module {
	data, err := s.file.At(address, moduleWords*word)
	if err != nil {
		return nil
	}
	words := decodeWords(data)
	s.relocations.apply(&words, address)
	m, err := parseModule(&words, h)
	if err != nil {
		return nil
	}
	return m
}

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
