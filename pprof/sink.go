package pprof

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// Compression is how a profile is compressed: a level of gzip from 1, the fastest, to 9, the smallest, or one of the
// constants. Readers accept all of them.
type Compression int

// The values of Compression besides 1 to 9.
const (
	FastGzip     Compression = 0  // level 1
	Uncompressed Compression = -1 // the bare protobuf message
)

// flushBytes is how much is gathered before it is passed to gzip.
const flushBytes = 32 << 10

// sink compresses what is written to it. The Encoder does not write to it after an error, and neither does gzip.
type sink struct {
	zip   *gzip.Writer // nil: nothing is compressed
	level Compression
	end   whole
}

func newSink(w io.Writer, c Compression) (*sink, error) {
	s := &sink{level: c, end: whole{w}}
	if c == Uncompressed {
		return s, nil
	}
	if c < FastGzip || c > gzip.BestCompression {
		return nil, fmt.Errorf("there is no compression %d: the levels of gzip are %d to %d", c, gzip.BestSpeed, gzip.BestCompression)
	}
	if c == FastGzip {
		s.level = gzip.BestSpeed
	}
	var err error
	s.zip, err = gzip.NewWriterLevel(s.end, int(s.level))
	return s, err
}

func (s *sink) write(b []byte) error {
	if s.zip == nil {
		_, err := s.end.Write(b)
		return err
	}
	_, err := s.zip.Write(b)
	return err
}

// close writes what gzip still holds and its checksum. It does not close the io.Writer.
func (s *sink) close() error {
	if s.zip == nil {
		return nil
	}
	return s.zip.Close()
}

// whole makes a short write an error.
type whole struct{ io.Writer }

func (w whole) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}
