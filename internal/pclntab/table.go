package pclntab

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// Table names the Go code of one file. It reads inline trees from the file when needed: the file must stay open as long as
// the Table is used, by one goroutine at a time.
type Table struct {
	file    *elffile.File
	module  *module
	names   []byte
	units   []byte // per compilation unit, the offsets of its files' paths
	files   []byte
	pcs     []byte
	funcs   []byte // first the functab, then the functions themselves
	texts   map[textKey]string
	wrapper uint8
	steps   int
}

// stepLimit bounds the work of a Table in total: a step is a run of a pc table or a byte of a name. A hundred thousand
// addresses take some ten million.
const stepLimit = 1 << 26

// Found is a table that was found in a file and not read yet.
type Found struct {
	file   *elffile.File
	module *module
}

// Find finds the table of a file. The error wraps errNoTable if there is none.
func Find(f *elffile.File) (Found, error) {
	m, err := find(f)
	return Found{f, m}, err
}

// Covers reports whether the address lies in the Go code of the file.
func (found Found) Covers(address uint64) bool {
	return found.module.low <= address && address < found.module.high
}

// Read reads the table, except for the inline trees.
func (found Found) Read() (*Table, error) {
	f, m := found.file, found.module
	t := &Table{file: f, module: m, texts: make(map[textKey]string)}
	var err error
	for _, part := range []struct {
		into *[]byte
		area area
		unit uint64
	}{
		{&t.names, m.names, 1}, {&t.units, m.units, 4}, {&t.files, m.files, 1}, {&t.pcs, m.pcs, 1}, {&t.funcs, m.funcs, 1},
	} {
		if *part.into, err = f.At(part.area.address, min(part.area.length, 1<<32)*part.unit); err != nil {
			return nil, fmt.Errorf("reading the Go function table of %s: %w", f.Name(), err)
		}
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("reading the Go function table of %s: %w", f.Name(), err)
	}
	t.wrapper = t.highestID()
	return t, nil
}

// check makes sure that the functab exists, and begins and ends where the module data has the code.
func (t *Table) check() error {
	functions := t.module.header.functions
	if functions >= uint64(len(t.funcs))/functabEntry {
		return errNotModule
	}
	if t.module.text+t.entry(0) != t.module.low || t.module.text+t.entry(functions) != t.module.high {
		return errNotModule
	}
	return nil
}

// Covers reports whether the address lies in the Go code of the file.
func (t *Table) Covers(address uint64) bool {
	return t.module.low <= address && address < t.module.high
}

// functabEntry is the size of runtime.functab: two numbers of four bytes, a function's entry from the start of the code
// and where it is described.
const functabEntry = 8

func (t *Table) entry(i uint64) uint64 {
	return uint64(binary.LittleEndian.Uint32(t.funcs[i*functabEntry:]))
}

// function is runtime._func: one function of the machine code.
type function struct {
	entry, name, files, lines, unit, startLine uint32
	id                                         uint8
	pcdata, funcdata                           []byte // four bytes for each
}

const functionSize = 44

// function describes the function that holds an address. After its own fields follow the offsets of its other pc tables
// (those for files and lines are fields) and of its data; fields hold the number of each.
func (t *Table) function(address uint64) (f function, ok bool) {
	if !t.Covers(address) {
		return function{}, false
	}
	offset := address - t.module.text
	i := sort.Search(int(t.module.header.functions), func(i int) bool { return t.entry(uint64(i)+1) > offset })
	return t.functionAt(uint64(i))
}

func (t *Table) functionAt(i uint64) (f function, ok bool) {
	if i >= t.module.header.functions {
		return function{}, false
	}
	data := from(t.funcs, uint64(binary.LittleEndian.Uint32(t.funcs[i*functabEntry+4:])))
	if len(data) < functionSize {
		return function{}, false
	}
	number := func(i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }
	f = function{
		entry: number(0), name: number(1), files: number(5), lines: number(6), unit: number(8), startLine: number(9),
		id: data[40],
	}
	pcdata, funcdata := 4*uint64(number(7)), 4*uint64(data[43])
	rest := uint64(len(data) - functionSize)
	if pcdata > rest || funcdata > rest-pcdata {
		return function{}, false
	}
	f.pcdata = data[functionSize:][:pcdata]
	f.funcdata = data[functionSize+pcdata:][:funcdata]
	return f, true
}

// highestID is the mark of wrappers: the runtime's numbers for special functions (internal/abi.FuncID) change from
// version to version, but wrappers, of which every program has some, keep the last.
func (t *Table) highestID() (highest uint8) {
	for i := range t.module.header.functions {
		if f, ok := t.functionAt(i); ok {
			highest = max(highest, f.id)
		}
	}
	return highest
}

// from returns the rest of the data after an offset.
func from(data []byte, offset uint64) []byte {
	if offset > uint64(len(data)) {
		return nil
	}
	return data[offset:]
}

// magic begins the tables of Go 1.20 and later (internal/abi.Go120PCLnTabMagic).
const magic = 0xfffffff1

const (
	word       = 8
	headerSize = 9 * word
)

// header is runtime.pcHeader. The offsets count from the header.
type header struct {
	address                         uint64
	quantum                         uint64 // bytes of code per step in a pc table
	functions                       uint64
	names, units, files, pcs, funcs uint64
}

var errNotHeader = errors.New("not the header of a table of Go 1.20 or later")

// parseHeader reads the header that was found at an address. The word before the offsets was the start of the code until
// Go 1.25.
func parseHeader(data []byte, address uint64) (header, error) {
	if len(data) < headerSize || !beginsTable(data) {
		return header{}, errNotHeader
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(data[i*word:]) }
	return header{
		address: address, quantum: uint64(data[6]), functions: at(1),
		names: at(4), units: at(5), files: at(6), pcs: at(7), funcs: at(8),
	}, nil
}

// beginsTable looks at the first word of a header: magic, two zeros, the size of the smallest instruction, the size of a
// pointer.
func beginsTable(data []byte) bool {
	quantum := data[6]
	return binary.LittleEndian.Uint32(data) == magic && data[4] == 0 && data[5] == 0 && data[7] == word &&
		(quantum == 1 || quantum == 2 || quantum == 4)
}

// none is the value where a pc table has no entry.
const none = -1

// value looks up a pc table: pairs of a change of the value and the number of instructions that have it, both as varints,
// the change zigzag-coded, from −1 at the function's entry; a change of 0 that is not the first ends it. No table is at
// offset 0.
func (t *Table) value(table uint32, distance uint64) int32 {
	if table == 0 {
		return none
	}
	data := from(t.pcs, uint64(table))
	value, reached := int32(none), uint64(0)
	for first := true; ; first = false {
		change, n := varint(data)
		if n == 0 || change == 0 && !first {
			return none
		}
		count, m := varint(data[n:])
		if m == 0 || !t.spend(1) {
			return none
		}
		value += int32(-(change & 1) ^ (change >> 1))
		reached += uint64(count) * t.module.header.quantum
		if distance < reached {
			return value
		}
		data = data[n+m:]
	}
}

// varint reads a number of at most 32 bits; n is 0 if there is none.
func varint(data []byte) (value uint32, n int) {
	long, n := binary.Uvarint(data[:min(len(data), binary.MaxVarintLen32)])
	return uint32(long), max(n, 0)
}

// spend counts steps, and returns false when there were too many.
func (t *Table) spend(steps int) bool {
	t.steps += steps
	return t.steps <= stepLimit
}
