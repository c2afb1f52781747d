package elffile

import (
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zlib"
)

var errLonger = errors.New("zlib: more data than the section's header says")

// inflateInto expands a zlib stream that is exactly as long as dst. The stream is read into dst itself, whose size was
// found credible before, so nothing that it says takes memory.
func inflateInto(dst, src []byte) error {
	stream, err := zlib.NewReader(bytes.NewReader(src))
	if err != nil {
		return err
	}
	defer stream.Close()
	if _, err := io.ReadFull(stream, dst); err != nil {
		return err
	}
	return atEnd(stream)
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
