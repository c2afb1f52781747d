package pprof

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/cgoheap/cgoheap/stack"
)

var errDisk = errors.New("no space left on device")

// fullDisk takes room bytes and then fails. It notes whether it was called again after that.
type fullDisk struct {
	room          int
	short         bool // it fails by writing less, without an error
	failed, after bool
}

func (d *fullDisk) Write(b []byte) (int, error) {
	d.after = d.after || d.failed
	if len(b) <= d.room {
		d.room -= len(b)
		return len(b), nil
	}
	d.failed = true
	n := d.room
	d.room = 0
	if d.short {
		return n, nil
	}
	return n, errDisk
}

// large is a recording whose names do not compress, so that it reaches the writer in several parts.
func large() *recording {
	random := rand.New(rand.NewPCG(5, 6))
	r := &recording{header: Header{Main: service}}
	for range 2000 {
		name := make([]byte, 40)
		for i := range name {
			name[i] = byte('!' + random.IntN(90))
		}
		l := Location{Mapping: libc, Address: random.Uint64(), Lines: []Line{{Function: Function{Name: string(name)}}}}
		r.samples = append(r.samples, recordedSample{locations: []Location{l}})
	}
	return r
}

func checkFullDisk(t *testing.T, r *recording, d *fullDisk, want error) {
	t.Helper()
	room := d.room
	if err := r.write(d); !errors.Is(err, want) {
		t.Errorf("room for %d bytes: error %v, want %v", room, err, want)
	}
	if d.after {
		t.Errorf("room for %d bytes: written to after the error", room)
	}
}

func TestErrorOfTheWriterIsReturnedWhereverItHappens(t *testing.T) {
	for _, c := range []struct {
		r    *recording
		step int
	}{{leak(), 1}, {large(), 1999}} {
		var b bytes.Buffer
		if err := c.r.write(&b); err != nil {
			t.Fatal(err)
		}
		for room := 0; room < b.Len(); room += c.step {
			checkFullDisk(t, c.r, &fullDisk{room: room}, errDisk)
			checkFullDisk(t, c.r, &fullDisk{room: room, short: true}, io.ErrShortWrite)
		}
		checkFullDisk(t, c.r, &fullDisk{room: b.Len()}, nil)
	}
}

func TestAfterAnErrorEveryCallReturnsIt(t *testing.T) {
	d := &fullDisk{}
	e := NewEncoder(d, Header{})
	for e.err == nil {
		e.Comment(string(bytes.Repeat([]byte{'x'}, flushBytes)))
	}
	if id := e.Location(Location{Address: 1}); id != 0 {
		t.Errorf("location %d", id)
	}
	e.Comment("more")
	if err := e.Sample(nil, &stack.Sample{}); !errors.Is(err, errDisk) {
		t.Errorf("Sample: %v", err)
	}
	for range 2 {
		if err := e.Close(); !errors.Is(err, errDisk) {
			t.Errorf("Close: %v", err)
		}
	}
	if d.after {
		t.Error("written to after the error")
	}
}
