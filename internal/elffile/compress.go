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

// decompress expands an SHF_COMPRESSED section, which begins with an Elf64_Chdr.
func (f *File) decompress(data []byte) ([]byte, error) {
	var h elf.Chdr64
	n, err := binary.Decode(data, order, &h)
	if err != nil {
		return nil, errCompressionHeader
	}
	payload := data[n:]
	switch elf.CompressionType(h.Type) {
	case elf.COMPRESS_ZLIB:
		return f.inflate(payload, h.Size)
	case elf.COMPRESS_ZSTD:
		return f.unzstd(payload, h.Size)
	}
	return nil, fmt.Errorf("unknown compression %d", h.Type)
}

// isOldCompressed reports whether a .zdebug_ section begins as compressed ones do: "ZLIB", then the size as 8 bytes
// big-endian. One that does not is not compressed.
func isOldCompressed(data []byte) bool { return len(data) >= 12 && string(data[:4]) == "ZLIB" }

// decompressOld expands a .zdebug_ section, whose header is followed by a zlib stream.
func (f *File) decompressOld(data []byte) ([]byte, error) {
	return f.inflate(data[12:], binary.BigEndian.Uint64(data[4:]))
}

func (f *File) inflate(payload []byte, size uint64) ([]byte, error) {
	data, err := f.credible(payload, size)
	if err != nil {
		return nil, err
	}
	if err := inflateInto(data, payload); err != nil {
		f.memory.Release(data)
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	return data, nil
}

// unzstd decompresses into the result itself, so that the decoder needs no window of its own.
func (f *File) unzstd(payload []byte, size uint64) ([]byte, error) {
	data, err := f.credible(payload, size)
	if err != nil {
		return nil, err
	}
	got, err := decodeZstd(data, payload)
	if err == nil && len(got) != len(data) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		f.memory.Release(data)
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	return data, nil
}

func decodeZstd(into, payload []byte) ([]byte, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxBytes), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	return decoder.DecodeAll(payload, into[:0:len(into)])
}

// credible sets memory aside for what a payload stands for, once the header's promise is found credible.
func (f *File) credible(payload []byte, size uint64) ([]byte, error) {
	if size > maxBytes || size > max(harmlessBytes, uint64(len(payload))*maxExpansion) {
		return nil, fmt.Errorf("%d compressed bytes claim to stand for %d", len(payload), size)
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
