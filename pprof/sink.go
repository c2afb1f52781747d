package pprof

import (
	"io"

	"github.com/klauspost/compress/gzip"
)

// flushBytes is how much is gathered before it is handed to gzip.
const flushBytes = 32 << 10

// sink compresses what is written to it. The io.Writer behind it is never called again after its first error.
type sink struct {
	zip *gzip.Writer
	end lastWord
}

func newSink(w io.Writer) *sink {
	s := &sink{end: lastWord{w: w}}
	s.zip, _ = gzip.NewWriterLevel(&s.end, gzip.BestSpeed) // fails on an unknown level only
	return s
}

func (s *sink) write(b []byte) error {
	_, err := s.zip.Write(b)
	return err
}

// close writes what gzip still holds and its checksum. It does not close the io.Writer.
func (s *sink) close() error {
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
