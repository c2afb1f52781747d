package pprof

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

var errDisk = errors.New("no space left on device")

// fullDisk takes room bytes and then fails. It counts the calls from the first that failed on.
type fullDisk struct {
	room  int
	short bool // it fails by writing less, without an error
	calls int
}

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) <= d.room && d.calls == 0 {
		d.room -= len(b)
		return len(b), nil
	}
	d.calls++
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
	if d.calls > 1 {
		t.Errorf("room for %d bytes: called %d times from the error on", room, d.calls)
	}
}

func TestErrorOfTheWriterIsReturnedWhereverItHappens(t *testing.T) {
	for _, compression := range []Compression{FastGzip, Uncompressed, 6} {
		for r, step := range map[*recording]int{leak(): 3, large(): 2999} {
			r.header.Compression = compression
			var b bytes.Buffer
			if err := r.write(&b); err != nil {
				t.Fatal(err)
			}
			for room := 0; room < b.Len(); room += step {
				checkFullDisk(t, r, &fullDisk{room: room}, errDisk)
				checkFullDisk(t, r, &fullDisk{room: room, short: true}, io.ErrShortWrite)
			}
			checkFullDisk(t, r, &fullDisk{room: b.Len()}, nil)
		}
	}
}
