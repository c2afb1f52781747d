package stack

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// slow is a baseline that prints stacks and compares the text.
type slow struct{ values map[string]Values }

func (s *slow) advance(p *Profile) {
	now := byContent(p.Samples)
	for key := range s.values {
		if _, ok := now[key]; !ok {
			now[key] = Values{} // not there: not in use
		}
	}
	for key, v := range now {
		v.AllocObjects = max(v.AllocObjects, s.values[key].AllocObjects)
		v.AllocBytes = max(v.AllocBytes, s.values[key].AllocBytes)
		now[key] = v
	}
	s.values = now
}

func (s *slow) delta(p *Profile) map[string]Values {
	delta := byContent(p.Samples)
	for key, v := range delta {
		then := s.values[key]
		v.AllocObjects, v.AllocBytes = max(0, v.AllocObjects-then.AllocObjects), max(0, v.AllocBytes-then.AllocBytes)
		if delta[key] = v; v == (Values{}) {
			delete(delta, key)
		}
	}
	return delta
}

func (s *slow) growth(p *Profile) map[string]Values {
	growth := map[string]Values{}
	for key, v := range byContent(p.Samples) {
		growth[key] = Values{InuseObjects: v.InuseObjects, InuseBytes: v.InuseBytes}
	}
	for key, then := range s.values {
		v := growth[key]
		v.Add(Values{InuseObjects: -then.InuseObjects, InuseBytes: -then.InuseBytes})
		growth[key] = v
	}
	for key, v := range growth {
		if v == (Values{}) {
			delete(growth, key)
		}
	}
	return growth
}

func TestBaselineAgreesWithOneThatComparesPrintedStacks(t *testing.T) {
	for seed := range uint64(30) {
		w := newWorld(seed)
		w.step()
		first := w.profile()
		fast, slow := NewBaseline(first), &slow{}
		slow.advance(first)
		for range 20 {
			w.step()
			p := w.profile()
			before := clone(p)
			delta, growth := fast.Delta(p), fast.Growth(p)
			if diff := cmp.Diff(slow.delta(p), byContent(delta.Samples)); diff != "" {
				t.Fatalf("seed %d: delta (-slow +fast):\n%s", seed, diff)
			}
			if diff := cmp.Diff(slow.growth(p), byContent(growth.Samples)); diff != "" {
				t.Fatalf("seed %d: growth (-slow +fast):\n%s", seed, diff)
			}
			if diff := cmp.Diff(before, p); diff != "" {
				t.Fatalf("seed %d: the profile was changed:\n%s", seed, diff)
			}
			checkNoZero(t, delta.Samples)
			checkNoZero(t, growth.Samples)
			if w.rng.IntN(2) == 0 {
				fast.Advance(p)
				slow.advance(p)
			}
		}
	}
}

func clone(p *Profile) *Profile {
	c := *p
	c.Samples = slices.Clone(p.Samples)
	return &c
}

func checkNoZero(t *testing.T, samples []Sample) {
	t.Helper()
	for _, s := range samples {
		if s.Values == (Values{}) {
			t.Fatalf("a sample without a value: %v", s)
		}
	}
}

func TestCounterThatWentBackIsNotCountedTwice(t *testing.T) {
	for _, id := range []uint64{0, 7} {
		at := func(alloc int64) *Profile {
			return &Profile{Samples: []Sample{{ID: id, Values: Values{AllocObjects: 1, AllocBytes: alloc}}}}
		}
		b, sum := NewBaseline(at(100)), int64(0)
		for _, alloc := range []int64{80, 120} {
			delta := b.Delta(at(alloc))
			sum += delta.Total().AllocBytes
			b.Advance(at(alloc))
		}
		if sum != 20 {
			t.Errorf("ID %d: 100, then 80, then 120 make %d more, want 20", id, sum)
		}
	}
}

func TestStackThatProfilesLeaveOutForAWhileIsNotCountedTwice(t *testing.T) {
	for _, id := range []uint64{0, 7} {
		full := func(alloc int64) *Profile {
			return &Profile{Samples: []Sample{{ID: id, Values: Values{AllocBytes: alloc}}}}
		}
		b := NewBaseline(full(100))
		b.Advance(&Profile{})
		delta := b.Delta(full(130))
		if got := delta.Total().AllocBytes; got != 30 {
			t.Errorf("ID %d: 100, then nothing, then 130 make %d more, want 30", id, got)
		}
	}
}

func TestAllThatAnotherRecordingHoldsIsNew(t *testing.T) {
	w := newWorld(1)
	w.step()
	b := NewBaseline(w.profile())
	w.step()
	w.restart()
	w.step()
	p := w.profile()
	p.Samples = slices.DeleteFunc(p.Samples, func(s Sample) bool { return s.ID == 0 })
	for about, c := range map[string]Profile{"delta": b.Delta(p), "after Advance": advanced(b, &Profile{Start: w.start}).Delta(p)} {
		if diff := cmp.Diff(byContent(p.Samples), byContent(c.Samples)); diff != "" {
			t.Errorf("%s (-profile +delta):\n%s", about, diff)
		}
	}
}

func advanced(b *Baseline, p *Profile) *Baseline {
	b.Advance(p)
	return b
}

func TestGrowthHasTheNegativeOfWhatIsGone(t *testing.T) {
	held := Sample{Frames: []Frame{1, 2}, BlockSize: 8, Values: Values{9, 72, 2, 16}}
	idle := Sample{Frames: []Frame{3}, Values: Values{AllocObjects: 1, AllocBytes: 8}}
	got := NewBaseline(&Profile{Samples: []Sample{idle, held, held}}).Growth(&Profile{})
	held.Values = Values{InuseObjects: -4, InuseBytes: -32}
	if diff := cmp.Diff([]Sample{held}, got.Samples); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDeltaAndGrowthBeginAtTheBaseline(t *testing.T) {
	start := time.Unix(1, 0)
	b := NewBaseline(&Profile{Start: start, Time: start.Add(time.Hour)})
	p := &Profile{Start: start, Time: start.Add(2 * time.Hour), SampleBytes: 5, Losses: []Loss{{Name: "full"}}}
	want := *p
	want.Start = b.Time()
	for about, got := range map[string]Profile{"delta": b.Delta(p), "growth": b.Growth(p)} {
		if diff := cmp.Diff(want, got); diff != "" || !b.Time().Equal(start.Add(time.Hour)) {
			t.Errorf("%s (-want +got):\n%s", about, diff)
		}
	}
}

func TestResultsAreInTheOrderOfTheProfile(t *testing.T) {
	w := newWorld(4)
	w.step()
	p := w.profile()
	delta := NewBaseline(&Profile{Start: p.Start}).Delta(p)
	at := 0
	for _, s := range delta.Samples {
		for at < len(p.Samples) && content(&p.Samples[at]) != content(&s) {
			at++
		}
	}
	if len(delta.Samples) == 0 || at >= len(p.Samples) {
		t.Errorf("%d samples, %d of %d found in order", len(delta.Samples), at, len(p.Samples))
	}
}

func TestBaselineTakesFortyBytesPerSample(t *testing.T) {
	const samples = 200_000
	p := Profile{Samples: make([]Sample, samples)}
	for i := range p.Samples {
		p.Samples[i].ID = uint64(i*7919%samples + 1)
	}
	before := heapInUse()
	b := NewBaseline(&p)
	b.Advance(&p)
	each := float64(heapInUse()-before) / samples
	runtime.KeepAlive(b)
	if runtime.KeepAlive(p); each < 30 || each > 42 {
		t.Errorf("%.1f bytes per sample", each)
	}
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestSizeOfABaselineIsThatOfItsMemory(t *testing.T) {
	for _, known := range []bool{true, false} {
		p := Profile{}
		for i := range 50_000 {
			s := Sample{Frames: []Frame{Frame(i), 1, 2, 3, 4, 5, 6, 7}, Values: Values{AllocObjects: 1}}
			if known {
				s.ID = uint64(i + 1)
			}
			p.Samples = append(p.Samples, s)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		b := NewBaseline(&p)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(&p)
		if taken, size := int64(after.HeapAlloc)-int64(before.HeapAlloc), b.Size(); size < taken/2 || size > 2*taken {
			t.Errorf("it says %d bytes and takes %d", size, taken)
		}
	}
}

func TestABaselineHoldsNoRoomForSamplesOfNoID(t *testing.T) {
	samples := make([]Sample, 1000) // all of one stack
	samples[0] = Sample{ID: 1, Values: Values{AllocObjects: 1}}
	for i := range samples[1:] {
		samples[1+i].AllocObjects = 1
	}
	if size := NewBaseline(&Profile{Samples: samples}).Size(); size > 1000 {
		t.Errorf("a baseline of two stacks takes %d bytes", size)
	}
}
