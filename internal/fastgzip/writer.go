package fastgzip

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// blockSize is how many bytes share one set of codes.
const blockSize = 128 << 10

// Writer is a gzip compressor, used like that of compress/gzip.
type Writer struct {
	w        io.Writer
	err      error  // the first of w; nothing is written once it is set
	window   []byte // up to windowSize bytes that are written already, then those that are not
	written  int    // the former
	position uint32 // of window[0]
	length   uint32 // of the stream, modulo 2^32
	checksum uint32
	matcher  matcher
	steps    []step
	block    block
	out      bitWriter
}

// header says: deflate, nothing else known, the fastest method, any system.
var header = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255}

// NewWriter begins a stream on w.
func NewWriter(w io.Writer) *Writer {
	z := &Writer{window: make([]byte, 0, windowSize+blockSize)}
	z.Reset(w)
	return z
}

// Reset forgets the stream, whatever its state, and begins another on w.
func (z *Writer) Reset(w io.Writer) {
	clear(z.matcher.last[:])
	z.position = windowSize + 1 // so that position 0, which an empty table is full of, lies outside of every window
	z.w, z.err = w, nil
	z.window, z.written = z.window[:0], 0
	z.length, z.checksum = 0, 0
	z.out = bitWriter{buf: append(z.out.buf[:0], header...)}
}

// Write compresses b. It returns the writer's first error, and writes nothing after one.
func (z *Writer) Write(b []byte) (n int, err error) {
	z.checksum = crc32.Update(z.checksum, crc32.IEEETable, b)
	z.length += uint32(len(b))
	for n < len(b) && z.err == nil {
		if len(z.window) == cap(z.window) {
			z.writeBlock(false)
			z.slide()
		}
		taken := min(len(b)-n, cap(z.window)-len(z.window))
		z.window = append(z.window, b[n:n+taken]...)
		n += taken
	}
	return n, z.err
}

// Close ends the stream. It does not close its writer. After Close, only Reset may be called.
func (z *Writer) Close() error {
	if z.err == nil {
		z.writeBlock(true)
	}
	return z.err
}

func (z *Writer) writeBlock(final bool) {
	z.steps = z.matcher.find(z.steps[:0], z.window, z.written, z.position)
	z.block.write(&z.out, z.window[z.written:], z.steps, final)
	z.written = len(z.window)
	if final {
		z.out.align()
		z.out.buf = binary.LittleEndian.AppendUint32(z.out.buf, z.checksum)
		z.out.buf = binary.LittleEndian.AppendUint32(z.out.buf, z.length)
	}
	_, z.err = z.w.Write(z.out.buf)
	z.out.buf = z.out.buf[:0]
}

// slide keeps the last windowSize bytes.
func (z *Writer) slide() {
	gone := len(z.window) - windowSize
	z.position += uint32(gone)
	z.window = z.window[:copy(z.window, z.window[gone:])]
	z.written = len(z.window)
}
