package elffile

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

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
