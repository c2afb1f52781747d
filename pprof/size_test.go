package pprof

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// sizes returns the results of Size before each sample, at the end, and after Close.
func sizes(t *testing.T, r *recording) (list []int64) {
	t.Helper()
	e := NewEncoder(&bytes.Buffer{}, r.header)
	for i := range r.samples {
		list = append(list, e.Size())
		if err := r.samples[i].write(e); err != nil {
			t.Fatal(err)
		}
	}
	list = append(list, e.Size())
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return append(list, e.Size())
}

// checkSizes compares them with the lengths of profiles that really are closed there.
func checkSizes(t *testing.T, r *recording) {
	t.Helper()
	got := sizes(t, r)
	bare := *r
	bare.header.Compression = Uncompressed
	for n := range got {
		bare.samples = r.samples[:min(n, len(r.samples))]
		var b bytes.Buffer
		if err := bare.write(&b); err != nil {
			t.Fatal(err)
		}
		if got[n] != int64(b.Len()) {
			t.Errorf("after %d of %d samples, Size is %d, and the message has %d bytes", n, len(r.samples), got[n], b.Len())
		}
	}
}

func TestSizeIsThatOfTheMessageIfItEndedNow(t *testing.T) {
	checkSizes(t, leak())
	random := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		checkSizes(t, choices(random.IntN).recording())
	}
}

func TestSizeCountsWhatIsFlushed(t *testing.T) {
	r := large()
	r.header.Compression = Uncompressed
	got := sizes(t, r)
	if size := got[len(got)-1]; size < 3*flushBytes {
		t.Fatalf("%d bytes are not flushed in between", size)
	}
	all := r.samples
	for n := 0; n < len(all); n += 100 {
		r.samples = all[:n]
		var b bytes.Buffer
		if err := r.write(&b); err != nil {
			t.Fatal(err)
		}
		if got[n] != int64(b.Len()) {
			t.Errorf("after %d samples, Size is %d, and the message has %d bytes", n, got[n], b.Len())
		}
	}
}

func TestSizeLeavesTheProfileAsItIs(t *testing.T) {
	var plain, sized bytes.Buffer
	r := leak()
	if err := r.write(&plain); err != nil {
		t.Fatal(err)
	}
	e := NewEncoder(&sized, r.header)
	for i := range r.samples {
		e.Size()
		if err := r.samples[i].write(e); err != nil {
			t.Fatal(err)
		}
		e.Size()
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(plain.Bytes(), sized.Bytes()) {
		t.Error("asking for the size changed the profile")
	}
}
