package fastgzip

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// records resemble each other as the samples of a profile do.
func records(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	record := []byte("a record of some length, of which a few bytes change from one to the next")
	for range n {
		for range 4 {
			record[random.IntN(20)] = byte(random.Uint32())
		}
		b.Write(record[:len(record)-random.IntN(3)])
	}
	return b.Bytes()
}

func noise(n int) []byte {
	random := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func names(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "github.com/owner/project_%d/room%d.(*Type).Method%d", i%7, i%13, i*i)
	}
	return b.Bytes()
}

var inputs = map[string][]byte{
	"nothing":       nil,
	"a byte":        {7},
	"nine bytes":    []byte("123456789"),
	"one value":     make([]byte, 2*blockSize),
	"records":       records(4000),
	"noise":         noise(2*blockSize + 5),
	"names":         names(2000),
	"a whole block": records(4000)[:blockSize+windowSize],
	"a byte more":   records(4000)[:blockSize+windowSize+1],
	"a far match":   append(append(noise(windowSize), noise(windowSize)...), noise(windowSize)...),
	"a mixture":     append(append(names(1000), noise(blockSize/2)...), records(2000)...),
}

func compress(z *Writer, b []byte) error {
	if _, err := z.Write(b); err != nil {
		return err
	}
	return z.Close()
}

func compressed(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := compress(NewWriter(&out), b); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func checkRoundTrip(t *testing.T, b []byte) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(compressed(t, b)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b) {
		t.Errorf("%d bytes come out as %d others", len(b), len(got))
	}
}

func TestWhatIsCompressedComesOutAgain(t *testing.T) {
	for name, b := range inputs {
		t.Run(name, func(t *testing.T) { checkRoundTrip(t, b) })
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("abcabcabcabc"), uint16(300))
	f.Add(records(20), uint16(9))
	f.Fuzz(func(t *testing.T, b []byte, times uint16) {
		checkRoundTrip(t, append(bytes.Repeat(b, int(times%512)), b...))
	})
}

func TestOutputDependsOnTheStreamAlone(t *testing.T) {
	z := NewWriter(io.Discard)
	for name, b := range inputs {
		want := compressed(t, b)
		var pieces, again bytes.Buffer
		z.Reset(&pieces)
		for rest := b; len(rest) > 0; {
			n := min(len(rest), 1000)
			if _, err := z.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		z.Reset(&again)
		if err := compress(z, b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pieces.Bytes(), want) || !bytes.Equal(again.Bytes(), want) {
			t.Errorf("%s: %d bytes at once, %d in pieces, %d after a Reset, or others", name, len(want), pieces.Len(), again.Len())
		}
	}
}

func TestSizeIsCloseToThatOfTheStandardLibrary(t *testing.T) {
	for name, b := range inputs {
		var standard bytes.Buffer
		z, err := gzip.NewWriterLevel(&standard, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		const description = 120 // of the codes, where the standard library uses those that need none
		if got := len(compressed(t, b)); got > standard.Len()+standard.Len()/10+description {
			t.Errorf("%s: %d bytes become %d, the standard library's %d", name, len(b), got, standard.Len())
		}
	}
}

var errFull = errors.New("no space left on device")

// fullDisk takes a number of writes and then fails; it counts those after that.
type fullDisk struct{ room, after int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.room == 0 {
		d.after++
		return 0, errFull
	}
	d.room--
	return len(b), nil
}

func TestNothingIsWrittenAfterAnError(t *testing.T) {
	for room := range 4 {
		d := &fullDisk{room: room}
		z := NewWriter(d)
		for range 6 {
			_, err := z.Write(noise(blockSize))
			if wanted := d.after > 0; wanted != errors.Is(err, errFull) {
				t.Errorf("room for %d: Write returns %v", room, err)
			}
		}
		if err := z.Close(); !errors.Is(err, errFull) {
			t.Errorf("room for %d: Close returns %v", room, err)
		}
		if d.after != 1 {
			t.Errorf("room for %d: %d writes from the error on", room, d.after)
		}
	}
}

func TestCompressingAgainAllocatesNothing(t *testing.T) {
	z, b := NewWriter(io.Discard), records(10_000)
	allocs := testing.AllocsPerRun(5, func() {
		z.Reset(io.Discard)
		if err := compress(z, b); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}
