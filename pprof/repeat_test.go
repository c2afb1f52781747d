package pprof

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestEqualCallsGiveEqualBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	recordings := []*recording{leak(), large()}
	for range 50 {
		recordings = append(recordings, choices(random.IntN).recording())
	}
	first := make([]bytes.Buffer, len(recordings))
	for i, r := range recordings {
		if err := r.write(&first[i]); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 { // each time with the memory of another profile
		for _, i := range random.Perm(len(recordings)) {
			var again bytes.Buffer
			if err := recordings[i].write(&again); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again.Bytes(), first[i].Bytes()) {
				t.Fatalf("profile %d has %d bytes once and %d or others again", i, first[i].Len(), again.Len())
			}
		}
	}
}

func TestProfilesWrittenAtTheSameTimeDoNotMix(t *testing.T) {
	r := leak()
	var want, a, b bytes.Buffer
	if err := r.write(&want); err != nil {
		t.Fatal(err)
	}
	NewEncoder(&a, r.header).Comment("never closed")
	broken := NewEncoder(&a, Header{Compression: 10})
	for range 2 { // the second Close must not give the memory away again
		if err := broken.Close(); err == nil {
			t.Fatal("there is a level 10")
		}
	}
	one, other := NewEncoder(&a, r.header), NewEncoder(&b, r.header)
	for i := range r.samples {
		for _, e := range []*Encoder{one, other} {
			if err := r.samples[i].write(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, e := range []*Encoder{one, other} {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), want.Bytes()) || !bytes.Equal(b.Bytes(), want.Bytes()) {
		t.Error("a profile that is written beside another is not the one that is written alone")
	}
}
