package elffile

import "io"

// windowBytes is how much a window holds: many images that describe one function are smaller.
const windowBytes = 4 << 10

// window reads size bytes of a reader, from base on, in pieces. It reads ahead, so that neighbours cost one read, and takes
// the same memory for any size.
type window struct {
	reader io.ReaderAt
	base   int64
	size   uint64
	start  uint64 // of what is held, from base
	held   []byte
	buffer [windowBytes]byte
}

// open prepares the window for another range.
func (w *window) open(r io.ReaderAt, base int64, size uint64) {
	w.reader, w.base, w.size, w.held = r, base, size, nil
}

// at returns n bytes at an offset, windowBytes at most, and nil if they cannot be read. They are valid until the next call.
func (w *window) at(offset, n uint64) []byte {
	if offset > w.size || n > w.size-offset {
		return nil
	}
	if offset < w.start || offset-w.start+n > uint64(len(w.held)) {
		piece := w.buffer[:min(w.size-offset, windowBytes)]
		read, _ := w.reader.ReadAt(piece, w.base+int64(offset))
		w.start, w.held = offset, piece[:read]
	}
	if n > uint64(len(w.held)) {
		return nil
	}
	return w.held[offset-w.start:][:n]
}
