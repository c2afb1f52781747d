package elffile

import (
	"bufio"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/zlib"
)

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
