package pclntab

import (
	"encoding/binary"
	"errors"
)

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
