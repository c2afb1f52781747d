package stack

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// world makes profiles of one process: some stacks have an ID, others come without one, as from another recorder.
type world struct {
	rng    *rand.Rand
	now    time.Time
	start  time.Time
	stacks []Sample // their values are the state of now
}

func newWorld(seed uint64) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 0)), now: time.Unix(1e9, 0)}
	w.start = w.now
	for i := range 60 {
		s := Sample{Frames: w.frames(), BlockSize: int64(w.rng.IntN(3)) - 1}
		if w.rng.IntN(2) == 0 {
			s.Labels = []Label{{Key: "heap", Text: []string{"go", "native"}[w.rng.IntN(2)]}, {Key: "n", Number: int64(i), Unit: "bytes"}}
		}
		if w.rng.IntN(2) == 0 {
			s.ID = uint64(1000 - 7*i)
			s.Frames = append(s.Frames, NewFrame(3, uint64(i))) // no other has this stack
		}
		w.stacks = append(w.stacks, s)
	}
	return w
}

// frames are few and short, so that equal stacks are frequent.
func (w *world) frames() []Frame {
	frames := make([]Frame, w.rng.IntN(4))
	for i := range frames {
		frames[i] = NewFrame(ModuleID(w.rng.IntN(2)), uint64(w.rng.IntN(2)))
	}
	return frames
}

// step lets the process run. Some counters rise, some stand still, a few fall.
func (w *world) step() {
	w.now = w.now.Add(time.Minute)
	for i := range w.stacks {
		v := &w.stacks[i].Values
		switch w.rng.IntN(8) {
		case 0, 1, 2:
			v.Add(Values{w.rng.Int64N(50), w.rng.Int64N(5000), w.rng.Int64N(9), w.rng.Int64N(900)})
		case 3:
			v.InuseObjects, v.InuseBytes = 0, 0
		case 4:
			v.AllocObjects, v.AllocBytes = w.rng.Int64N(v.AllocObjects+1), w.rng.Int64N(v.AllocBytes+1)
		}
	}
}

// restart begins another recording, which uses the IDs of the one before for other stacks.
func (w *world) restart() {
	w.start = w.now
	for i := range w.stacks {
		if s := &w.stacks[i]; s.ID != 0 {
			s.Values = Values{}
			s.Frames = append([]Frame{NewFrame(9, uint64(w.now.Unix()&0xffff))}, s.Frames...)
		}
	}
}

// profile has all that has an ID, and leaves out some of what has none.
func (w *world) profile() *Profile {
	p := &Profile{Start: w.start, Time: w.now, SampleBytes: 512}
	for _, s := range w.stacks {
		if s.ID != 0 || w.rng.IntN(4) > 0 {
			p.Samples = append(p.Samples, s)
		}
	}
	w.rng.Shuffle(len(p.Samples), func(i, j int) { p.Samples[i], p.Samples[j] = p.Samples[j], p.Samples[i] })
	return p
}

// content prints what a sample is, apart from its values.
func content(s *Sample) string { return fmt.Sprint(s.Frames, s.BlockSize, s.Labels) }

// byContent adds up the samples of the same content, and leaves out samples of which nothing is left.
func byContent(samples []Sample) map[string]Values {
	sums := map[string]Values{}
	for i := range samples {
		v := sums[content(&samples[i])]
		v.Add(samples[i].Values)
		sums[content(&samples[i])] = v
	}
	for key, v := range sums {
		if v == (Values{}) {
			delete(sums, key)
		}
	}
	return sums
}
