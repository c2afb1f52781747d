package report

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/stack"
)

func TestFramesAreNumberedAsByAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	f, slow := newFrames(nil), make(map[stack.Frame]int)
	var list []stack.Frame
	for range 200_000 {
		frame := stack.NewFrame(stack.ModuleID(random.IntN(5)), uint64(random.IntN(1<<16))*uint64(1+random.IntN(3)))
		f.add(frame)
		if _, known := slow[frame]; !known {
			slow[frame] = len(list)
			list = append(list, frame)
		}
	}
	if !slices.Equal(f.list, list) {
		t.Fatalf("%d frames, want %d", len(f.list), len(list))
	}
	for frame, number := range slow {
		if f.number(frame) != number {
			t.Fatalf("frame %#x has number %d, want %d", uint64(frame), f.number(frame), number)
		}
	}
}
