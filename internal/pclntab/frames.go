package pclntab

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Frame is a function at an address: the one that holds it or one that was inlined there.
type Frame struct {
	Function  string // as Go prints it: [...] for the type arguments
	Symbol    string // the linker's name
	File      string // "" if unknown
	Line      int    // of the address in the innermost frame, of the inlined call in the others; 0 if unknown
	StartLine int    // of the func keyword; 0 if unknown
}

// inlineLimit is the deepest nesting of inlined calls that is accepted.
const inlineLimit = 1 << 8

// The indexes of the inline tree among a function's pc tables, and among its data (internal/abi).
const (
	pcdataInlineTree   = 2
	funcdataInlineTree = 3
)

// Frames names an address that lies inside an instruction of the call (return address − 1): innermost first, ending with
// the function that holds it; nil if that is not Go code of the file. Wrappers that the compiler made to inline into
// others are left out, as the runtime leaves them out of its stacks.
func (t *Table) Frames(address uint64) []Frame {
	f, ok := t.function(address)
	if !ok || address < t.module.text+uint64(f.entry) {
		return nil
	}
	distance := address - t.module.text - uint64(f.entry)
	var calls []call
	for range inlineLimit {
		c := t.callAt(&f, distance)
		calls = append(calls, c)
		if !c.inlined {
			return t.frames(&f, t.withoutWrappers(calls))
		}
		distance = c.parent
	}
	return nil
}

// call is a step from the innermost function outwards.
type call struct {
	inlined         bool
	distance        uint64 // of the pc from the entry, in bytes of machine code
	parent          uint64 // of the pc that stands for the call, if it was inlined
	name, startLine uint32
	id              uint8
}

// treeEntry is the size of runtime.inlinedCall: an ID and padding, then three numbers of four bytes.
const treeEntry = 16

// callAt returns the innermost function at a pc: an entry of the inline tree, or the function itself.
func (t *Table) callAt(f *function, distance uint64) call {
	own := call{distance: distance, name: f.name, startLine: f.startLine, id: f.id}
	table, ok := number(f.pcdata, pcdataInlineTree)
	if !ok {
		return own
	}
	tree, ok := number(f.funcdata, funcdataInlineTree)
	index := t.value(table, distance)
	if !ok || tree == ^uint32(0) || index < 0 {
		return own
	}
	data, err := t.file.At(t.module.trees+uint64(tree)+treeEntry*uint64(index), treeEntry)
	if err != nil {
		return own
	}
	c := call{inlined: true, distance: distance, id: data[0]}
	c.name, c.startLine = binary.LittleEndian.Uint32(data[4:]), binary.LittleEndian.Uint32(data[12:])
	c.parent = uint64(binary.LittleEndian.Uint32(data[8:]))
	return c
}

func number(data []byte, i int) (uint32, bool) {
	if len(data) < 4*i+4 {
		return 0, false
	}
	return binary.LittleEndian.Uint32(data[4*i:]), true
}

// withoutWrappers drops wrappers from calls if some of these are inlined. One that called the runtime's panic functions stays: there
// it is the wrapper that failed.
func (t *Table) withoutWrappers(calls []call) []call {
	if len(calls) == 1 {
		return calls
	}
	var kept []call
	for i, c := range calls {
		if c.id != t.wrapper || i > 0 && panics(t.text(t.names, calls[i-1].name)) {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return calls
	}
	return kept
}

func panics(name string) bool {
	return name == "runtime.gopanic" || name == "runtime.sigpanic" || name == "runtime.panicwrap"
}

func (t *Table) frames(f *function, calls []call) []Frame {
	frames := make([]Frame, len(calls))
	for i, c := range calls {
		symbol := t.text(t.names, c.name)
		frames[i] = Frame{Function: printed(symbol), Symbol: symbol, StartLine: positive(int32(c.startLine))}
		file, line := t.value(f.files, c.distance), t.value(f.lines, c.distance)
		if file < 0 || line < 0 {
			continue
		}
		if offset, ok := number(from(t.units, 4*(uint64(f.unit)+uint64(file))), 0); ok && offset != ^uint32(0) {
			frames[i].File, frames[i].Line = t.text(t.files, offset), int(line)
		}
	}
	return frames
}

func positive(n int32) int { return int(max(n, 0)) }

// printed writes the type arguments as Go's stack traces do: they name shapes, not the types of the call.
func printed(symbol string) string {
	open, shut := strings.IndexByte(symbol, '['), strings.LastIndexByte(symbol, ']')
	if open < 0 || shut <= open {
		return symbol
	}
	return symbol[:open] + "[...]" + symbol[shut+1:]
}

// textKey identifies a text of a table: names and files have separate offsets.
type textKey struct {
	area   *byte
	offset uint32
}

// textLimit is the longest name that is accepted.
const textLimit = 1 << 16

// text returns the string at an offset, copied once, so that answers do not keep the whole table in memory.
func (t *Table) text(area []byte, offset uint32) string {
	data := from(area, uint64(offset))
	data = data[:min(len(data), textLimit)]
	if len(data) == 0 {
		return ""
	}
	key := textKey{&area[0], offset}
	if known, ok := t.texts[key]; ok {
		return known
	}
	end := bytes.IndexByte(data, 0)
	if end < 0 || !t.spend(end) {
		return ""
	}
	t.texts[key] = string(data[:end])
	return t.texts[key]
}
