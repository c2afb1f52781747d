package goheap

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/stack"
)

// byStack adds up the values of each stack and block size.
func byStack(p *profile.Profile, scattered map[string]bool) map[string][4]int64 {
	sums := map[string][4]int64{}
	for _, s := range p.Sample {
		key := stackText(s, scattered)
		if size := s.NumLabel["bytes"]; len(size) > 0 {
			key = fmt.Sprint(size, key)
		}
		sum := sums[key]
		for i, v := range s.Value {
			sum[i] += v
		}
		sums[key] = sum
	}
	maps.DeleteFunc(sums, func(_ string, v [4]int64) bool { return v == [4]int64{} })
	return sums
}

// subtract is runtime/pprof's way to compare two profiles: now less then, by google/pprof. With inuse it subtracts that too.
func subtract(t *testing.T, now, then *profile.Profile, inuse bool) *profile.Profile {
	t.Helper()
	then = then.Copy()
	for _, s := range then.Sample {
		for i := range s.Value {
			if s.Value[i] = -s.Value[i]; i >= 2 && !inuse {
				s.Value[i] = 0
			}
		}
	}
	difference, err := profile.Merge([]*profile.Profile{now, then})
	if err != nil {
		t.Fatal(err)
	}
	return difference
}

// moments are two states of the heap, each as we and as runtime/pprof read it; what was held in between is partly freed.
func moments(t *testing.T) (ours [2]stack.Profile, theirs [2]*profile.Profile) {
	t.Helper()
	allocate(t)
	ours[0], theirs[0] = Read(inModule(1)), runtimeProfile(t, "allocs")
	release(len(held.all) / 2)
	down(7)
	down(50)
	inlined()
	garbage()
	generic("a", int64(1))
	publish(t)
	ours[1], theirs[1] = Read(inModule(1)), runtimeProfile(t, "allocs")
	return ours, theirs
}

func checkSame(t *testing.T, about string, want, got map[string][4]int64, columns []int) {
	t.Helper()
	keys := slices.Concat(slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)))
	for _, key := range keys {
		for _, i := range columns {
			if want[key][i] != got[key][i] {
				t.Fatalf("%s: %v, want %v, of %s", about, got[key], want[key], key)
			}
		}
	}
}

func TestDeltaIsTheDifferenceOfTwoProfilesOfRuntimePprof(t *testing.T) {
	ours, theirs := moments(t)
	baseline := stack.NewBaseline(&ours[0])
	delta := baseline.Delta(&ours[1])
	read := encoded(t, &delta)
	files := scattered(encoded(t, &ours[1]))
	want, got := byStack(subtract(t, theirs[1], theirs[0], false), files), byStack(read, files)
	checkSame(t, "delta", want, got, []int{0, 1, 2, 3})
	if sum := total(read); len(got) < 10 || sum[1] == 0 || sum[3] == 0 {
		t.Errorf("%d stacks, %v in all", len(got), sum)
	}
}

func TestGrowthIsTheDifferenceOfWhatIsInUse(t *testing.T) {
	ours, theirs := moments(t)
	baseline := stack.NewBaseline(&ours[0])
	growth := baseline.Growth(&ours[1])
	read := encoded(t, &growth)
	files := scattered(encoded(t, &ours[1]))
	want, got := byStack(subtract(t, theirs[1], theirs[0], true), files), byStack(read, files)
	checkSame(t, "growth", want, got, []int{2, 3})
	falls := 0
	for _, v := range got {
		if v[3] < 0 {
			falls++
		}
	}
	if falls == 0 || falls == len(got) {
		t.Errorf("%d of %d stacks hold less than before", falls, len(got))
	}
}
