package pprof

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// Compression is how a profile is compressed: a level of gzip from 1, the fastest, to 9, the smallest, or one of the
// constants. Every reader takes all of them.
type Compression int

const (
	FastGzip     Compression = 0  // gzip, at its fastest
	Uncompressed Compression = -1 // the bare protobuf message
)

// flushBytes is how much is gathered before it is handed to gzip.
const flushBytes = 32 << 10

// sink compresses what is written to it. The io.Writer behind it is never called again after its first error.
type sink struct {
	zip *gzip.Writer // nil: nothing is compressed
	end lastWord
}

func newSink(w io.Writer, c Compression) (*sink, error) {
	s := &sink{end: lastWord{w: w}}
	switch {
	case c == Uncompressed:
		return s, nil
	case c == FastGzip:
		c = gzip.BestSpeed
	case c < gzip.BestSpeed || c > gzip.BestCompression:
		return nil, fmt.Errorf("there is no compression %d: the levels of gzip are %d to %d", c, gzip.BestSpeed, gzip.BestCompression)
	}
	var err error
	s.zip, err = gzip.NewWriterLevel(&s.end, int(c))
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

// lastWord makes the first error of a writer its last word, and a short write an error.
type lastWord struct {
	w   io.Writer
	err error
}

func (l *lastWord) Write(b []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	l.err = err
	return n, err
}
