package pprof

import (
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// Compression is how a profile is compressed: a level of gzip from 1, the fastest, to 9, the smallest, or one of the
// constants. Every reader takes all of them.
type Compression int

// What a number from 1 to 9 does not say.
const (
	FastGzip     Compression = 0  // level 1
	Uncompressed Compression = -1 // the bare protobuf message
)

// flushBytes is how much is gathered before it is handed to gzip.
const flushBytes = 32 << 10

// sink compresses what is written to it. After an error it must not be written to again, which the Encoder sees to; nor
// does gzip write after one.
type sink struct {
	zip   *gzip.Writer // nil: nothing is compressed
	level Compression
	end   whole
}

// zips are writers of each level that wait for the next profile: a new one takes half a megabyte or more.
var zips [gzip.BestCompression + 1]sync.Pool

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
	if zip, waiting := zips[s.level].Get().(*gzip.Writer); waiting {
		zip.Reset(s.end)
		s.zip = zip
		return s, nil
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

// release hands the compressor on, whatever became of the profile.
func (s *sink) release() {
	if s.zip != nil {
		s.zip.Reset(nil)
		zips[s.level].Put(s.zip)
		s.zip = nil
	}
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
