package pprof

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strings"
	"unicode/utf8"
)

// Encoder writes one profile. It must be closed, and must not be used by several goroutines at once.
type Encoder struct {
	*memory
	flushed  int64 // bytes of the message that were passed to sink
	sink     *sink
	err      error  // the first error, or errClosed; nothing is written once it is set
	from, to int    // the columns written, of allColumns
	bytes    uint64 // the string "bytes": key and unit of the label
	pending  pendingSize
}

var (
	errClosed          = errors.New("the profile is closed")
	errUnknownLocation = errors.New("a stack holds a location of another profile")
)

// NewEncoder begins a profile on w. An invalid header is treated like an error of the writer: the next Sample and Close
// return it, and nothing is written.
func NewEncoder(w io.Writer, h Header) *Encoder {
	e := &Encoder{memory: newMemory()}
	e.fail(e.open(w, &h))
	return e
}

func (e *Encoder) open(w io.Writer, h *Header) (err error) {
	if e.from, e.to, err = h.Columns.span(); err != nil {
		return err
	}
	defaultType, err := h.defaultType(allColumns[e.from:e.to])
	if err != nil {
		return err
	}
	if e.sink, err = newSink(w, h.Compression); err != nil {
		return err
	}
	e.writeHeader(h, defaultType)
	return nil
}

// Comment adds a line for the person who reads the profile.
func (e *Encoder) Comment(text string) {
	if e.err != nil {
		return
	}
	e.out.number(profileComment, e.text(text))
	e.flushFull()
}

// Size returns the number of bytes, uncompressed, that the profile would have if it were closed now, or has if it is closed.
// After an error the result has no meaning.
func (e *Encoder) Size() int64 {
	if e.err != nil {
		return e.flushed
	}
	return e.flushed + int64(len(e.out)) + e.pendingMappings()
}

// Close writes the rest of the profile and returns the first error of the writer; further calls return the same. It does not
// close the writer.
func (e *Encoder) Close() error {
	if errors.Is(e.err, errClosed) {
		return nil
	}
	if e.err == nil {
		e.writeMappings()
		e.flush()
	}
	if e.err == nil {
		e.fail(e.sink.close())
	}
	e.release()
	if e.err != nil {
		return e.err
	}
	e.err = errClosed
	return nil
}

// Discard frees the Encoder's memory without ending the profile, for use after a panic. After Close it does nothing.
func (e *Encoder) Discard() { e.release() }

func (e *Encoder) flushFull() {
	if len(e.out) >= flushBytes {
		e.flush()
	}
}

func (e *Encoder) flush() {
	e.fail(e.sink.write(e.out))
	e.flushed += int64(len(e.out))
	e.out = e.out[:0]
}

func (e *Encoder) fail(err error) {
	if err != nil {
		e.err = fmt.Errorf("writing a profile: %w", err)
	}
}

// text returns the number of s in the table of strings, and writes it there if it is new. A string that is not UTF-8 is
// replaced by its valid form; the raw form is remembered beside it, so that it is converted only once.
func (e *Encoder) text(s string) uint64 {
	hash := maphash.String(seed, s)
	if id, known := e.texts.find(s, hash); known {
		return uint64(id)
	}
	if !utf8.ValidString(s) {
		id := e.text(strings.ToValidUTF8(s, "\uFFFD"))
		e.texts.add(s, hash, uint32(id))
		return id
	}
	id := e.textCount
	e.textCount++
	e.texts.add(s, hash, uint32(id))
	e.out.text(profileStringTable, s)
	return id
}
