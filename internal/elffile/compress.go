package elffile

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxExpansion is how many bytes one compressed byte may stand for, in sections of more than harmlessBytes. Debug sections
// shrink to a third or a tenth; the formats themselves would allow 1,032 (zlib) and far more (zstd).
const (
	maxExpansion  = 256
	harmlessBytes = 1 << 20
)

// maxUnpacked is how much of a file is decompressed in all. A program with a gigabyte of debug data needs
// less.
const maxUnpacked = 2 * maxBytes

var errUnpacked = fmt.Errorf("more than %d bytes have been decompressed", uint64(maxUnpacked))

var errCompressionHeader = errors.New("compression header cut short")

// payload is a part of the file that holds a compressed stream.
type payload struct{ offset, size uint64 }

// decompress expands an SHF_COMPRESSED section, which begins with an Elf64_Chdr.
func (f *File) decompress(p payload) ([]byte, error) {
	var h elf.Chdr64
	head, err := f.bytes(p.offset, min(p.size, uint64(binary.Size(h))))
	if err != nil {
		return nil, err
	}
	n, err := binary.Decode(head, order, &h)
	if err != nil {
		return nil, errCompressionHeader
	}
	stream := payload{p.offset + uint64(n), p.size - uint64(n)}
	switch elf.CompressionType(h.Type) {
	case elf.COMPRESS_ZLIB:
		return f.inflate(stream, h.Size)
	case elf.COMPRESS_ZSTD:
		return f.unzstd(stream, h.Size)
	}
	return nil, fmt.Errorf("unknown compression %d", h.Type)
}

// oldHeader is how a compressed .zdebug_ section begins: "ZLIB", then the size as 8 bytes big-endian, then a zlib stream.
const oldHeader = 12

// decompressOld expands a .zdebug_ section. One that does not begin with an oldHeader is not compressed.
func (f *File) decompressOld(p payload) ([]byte, error) {
	head, err := f.bytes(p.offset, min(p.size, oldHeader))
	switch {
	case err != nil:
		return nil, err
	case len(head) < oldHeader || string(head[:4]) != "ZLIB":
		return f.bytes(p.offset, p.size)
	}
	return f.inflate(payload{p.offset + oldHeader, p.size - oldHeader}, binary.BigEndian.Uint64(head[4:]))
}

func (f *File) inflate(p payload, size uint64) ([]byte, error) {
	if err := f.holds(p.offset, p.size); err != nil {
		return nil, err
	}
	data, err := f.credible(p, size)
	if err != nil {
		return nil, err
	}
	stream := io.NewSectionReader(f.reader, int64(p.offset), int64(p.size))
	if err := inflateInto(data, stream); err != nil {
		f.memory.Release(data)
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	return data, nil
}

// unzstd decompresses into the result itself, so that the decoder needs no window of its own.
func (f *File) unzstd(p payload, size uint64) ([]byte, error) {
	compressed, err := f.bytes(p.offset, p.size)
	if err != nil {
		return nil, err
	}
	defer f.memory.Release(compressed)
	data, err := f.credible(p, size)
	if err != nil {
		return nil, err
	}
	got, err := decodeZstd(data, compressed)
	if err == nil && len(got) != len(data) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		f.memory.Release(data)
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	return data, nil
}

func decodeZstd(into, compressed []byte) ([]byte, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxBytes), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	return decoder.DecodeAll(compressed, into[:0:len(into)])
}

// credible sets memory aside for what a payload stands for, once the header's promise is found credible.
func (f *File) credible(p payload, size uint64) ([]byte, error) {
	if size > maxBytes || size > max(harmlessBytes, p.size*maxExpansion) {
		return nil, fmt.Errorf("%d compressed bytes claim to stand for %d", p.size, size)
	}
	if err := f.take(size); err != nil {
		return nil, err
	}
	if f.unpacked.Add(size) > maxUnpacked {
		f.unpacked.Add(-size)
		return nil, errUnpacked
	}
	return f.memory.Bytes(int(size)), nil
}

var errLonger = errors.New("zlib: more data than the section's header says")

// readAhead is how much of a compressed section is in memory at a time.
const readAhead = 32 << 10

// inflaters are readers of zlib streams, to be used again: each has a window and tables of 50 KB.
var inflaters sync.Pool

// inflateInto expands a zlib stream that is exactly as long as dst. The stream is read into dst itself, whose size was
// found credible before, so nothing that it says takes memory.
func inflateInto(dst []byte, src io.Reader) error {
	stream, err := inflater(bufio.NewReaderSize(src, readAhead))
	if err != nil {
		return err
	}
	defer inflaters.Put(stream)
	if _, err := io.ReadFull(stream, dst); err != nil {
		return err
	}
	return atEnd(stream)
}

// inflater returns a reader of the zlib stream in src.
func inflater(src io.Reader) (io.Reader, error) {
	used := inflaters.Get()
	if used == nil {
		return zlib.NewReader(src)
	}
	if err := used.(zlib.Resetter).Reset(src, nil); err != nil {
		return nil, err
	}
	return used.(io.Reader), nil
}

// atEnd reads on to the end of a stream, where its checksum is compared.
func atEnd(stream io.Reader) error {
	var more [1]byte
	switch n, err := io.ReadFull(stream, more[:]); {
	case n > 0:
		return errLonger
	case err == io.EOF:
		return nil
	default:
		return err
	}
}

// ErrAllowance reports that a section was not decompressed because the Allowance is used up.
var ErrAllowance = errors.New("decompressed sections take more memory than is allowed")

// Allowance is how many bytes of decompressed sections may be in memory at a time, of all files that share it.
type Allowance struct{ left atomic.Int64 }

// NewAllowance makes an Allowance of the given number of bytes.
func NewAllowance(bytes int64) *Allowance {
	a := &Allowance{}
	a.left.Store(bytes)
	return a
}

// Left returns how many bytes may still be decompressed. A nil Allowance has no bound.
func (a *Allowance) Left() int64 {
	if a == nil {
		return math.MaxInt64
	}
	return max(0, a.left.Load())
}

// Share bounds what the File decompresses from now on, until it is closed. A nil Allowance has no bound.
func (f *File) Share(a *Allowance) { f.allowance = a }

// Charge takes bytes from the Allowance that the File shares, until the File is closed: for what its caller decompressed for it.
func (f *File) Charge(bytes uint64) error { return f.take(bytes) }

func (f *File) take(bytes uint64) error {
	if f.allowance == nil {
		return nil
	}
	if f.allowance.left.Add(-int64(bytes)) < 0 {
		f.allowance.left.Add(int64(bytes))
		return fmt.Errorf("%w: %d bytes", ErrAllowance, bytes)
	}
	f.taken.Add(int64(bytes))
	return nil
}

func (f *File) giveBack() {
	if f.allowance != nil {
		f.allowance.left.Add(f.taken.Swap(0))
	}
}
