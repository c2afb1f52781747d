package xz

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/crc64"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

var (
	// ErrTooBig reports that the result would exceed the limit.
	ErrTooBig = errors.New("xz: more data than is allowed")

	errFormat   = errors.New("xz: data is damaged")
	errUnknown  = errors.New("xz: unknown kind of compression")
	errChecksum = errors.New("xz: checksum does not match")
)

const magic = "\xfd7zXZ\x00"

// checkSizes are the sizes of the checks behind each block, by the kinds that are known.
var checkSizes = map[byte]int{0: 0, 1: crc32.Size, 4: crc64.Size, 10: sha256.Size}

// Decompress returns what the first stream of some .xz data stands for, at most limit bytes of it: if there are more, the
// error is ErrTooBig. On any error the result is nil. It lies in the memory given, or in Go's heap if that is nil.
func Decompress(data []byte, limit int, memory *scratch.Memory) ([]byte, error) {
	out, err := decompress(data, limit, memory)
	if err != nil {
		scratch.ReleaseSlice(memory, out)
		return nil, err
	}
	return out, nil
}

func decompress(data []byte, limit int, memory *scratch.Memory) ([]byte, error) {
	const header = len(magic) + 2 + crc32.Size
	if len(data) < header || string(data[:len(magic)]) != magic {
		return nil, errFormat
	}
	flags := data[len(magic) : len(magic)+2]
	size, known := checkSizes[flags[1]]
	switch {
	case !sumFits(flags, data[len(magic)+2:]):
		return nil, errChecksum
	case flags[0] != 0 || !known:
		return nil, fmt.Errorf("%w: flags % x", errUnknown, flags)
	}
	d := decoder{in: data[header:], limit: limit, memory: memory}
	for {
		more, err := d.blockHeader()
		if err != nil || !more {
			return d.out, err
		}
		if err := d.block(flags[1], size); err != nil {
			return d.out, err
		}
	}
}

// sumFits reports whether the first bytes behind some data are its CRC-32.
func sumFits(data, sum []byte) bool {
	return len(sum) >= crc32.Size && binary.LittleEndian.Uint32(sum) == crc32.ChecksumIEEE(data)
}

// blockHeader reads the header of a block (3.1); false if the index begins instead. The sizes in it are optional, and
// the chunks say the same.
func (d *decoder) blockHeader() (bool, error) {
	const (
		filters         = 0x03 // of the flags: how many, less one
		compressedSize  = 0x40
		uncompressed    = 0x80
		lzma2           = 0x21
		largestDictBits = 40
	)
	if len(d.in) == 0 {
		return false, errFormat
	}
	if d.in[0] == 0 {
		return false, nil
	}
	size := (int(d.in[0]) + 1) * 4
	if len(d.in) < size {
		return false, errFormat
	}
	header, flags := d.in[:size-crc32.Size], d.in[1]
	if !sumFits(header, d.in[size-crc32.Size:]) {
		return false, errChecksum
	}
	d.in = d.in[size:]
	if flags&^(compressedSize|uncompressed) != 0 {
		return false, fmt.Errorf("%w: several filters", errUnknown)
	}
	rest := header[2:]
	for _, flag := range []byte{compressedSize, uncompressed} {
		if flags&flag == 0 {
			continue
		}
		_, n := binary.Uvarint(rest)
		if n <= 0 {
			return false, errFormat
		}
		rest = rest[n:]
	}
	if len(rest) < 3 || rest[0] != lzma2 || rest[1] != 1 || rest[2] > largestDictBits {
		return false, fmt.Errorf("%w: not LZMA2", errUnknown)
	}
	return true, nil
}

// block reads the chunks of a block and what is behind them: padding and the check (3.3, 3.4).
func (d *decoder) block(kind byte, size int) error {
	begin, length := len(d.out), len(d.in)
	if err := d.chunks(); err != nil {
		return err
	}
	padding := (len(d.in) - length) & 3
	if len(d.in) < padding+size {
		return errFormat
	}
	if !checkFits(kind, d.out[begin:], d.in[padding:padding+size]) {
		return errChecksum
	}
	d.in = d.in[padding+size:]
	return nil
}

func checkFits(kind byte, data, check []byte) bool {
	switch kind {
	case 1:
		return sumFits(data, check)
	case 4:
		return binary.LittleEndian.Uint64(check) == crc64.Checksum(data, crc64.MakeTable(crc64.ECMA))
	case 10:
		sum := sha256.Sum256(data)
		return bytes.Equal(sum[:], check)
	}
	return true
}
