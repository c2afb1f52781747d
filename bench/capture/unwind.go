package main

import (
	"fmt"
	"os"
)

// walkers are ways to walk a stack, in the order in which load prints them; ours is the first.
var walkers = []struct {
	name   string
	target target
}{
	{"cgoheap", target{}},
	{"libunwind's unw_backtrace", target{most: 0.83}},
	{"glibc's backtrace, which is libgcc's", target{most: 0.1}},
	{"libgcc's _Unwind_Backtrace", target{most: 0.1}},
}

// Walks are made from two depths. The difference is the cost of the additional frames; the rest is the cost of beginning a walk.
const shallow, deep, walksPerTurn = 10, 60, 30_000

// walking compares walks of C without frame pointers, each from the same call site over and over. Ours does not use the
// previous walk.
func walking(s setup) error {
	with, err := loadGo()
	if err != nil {
		return err
	}
	frame, begin, err := s.walks(with)
	if err != nil {
		return err
	}
	s.table.head("Unwinding C without frame pointers, hot", "ns per frame", "cgoheap", "the other")
	for i, w := range walkers[1:] {
		if frame[i+1] == nil {
			fmt.Fprintf(os.Stderr, "capture: %s is left out: not installed, or it does not see the whole stack\n", w.name)
			continue
		}
		s.table.print(line{w.name, summary(frame[0]), summary(frame[i+1]), w.target})
	}
	fmt.Fprintf(s.table.out, "\nBefore the first frame, ours takes %.0f ns.\n", summary(begin).median)
	return nil
}

// walks returns the nanoseconds per frame of each walker and round, none for a walker that is missing, and ours before the
// first frame.
func (s setup) walks(with string) (frame [][]float64, begin []float64, err error) {
	frame = make([][]float64, len(walkers))
	at := func(depth int) ([]figures, error) {
		return (&contender{name: "walks", command: []string{with, "-sample=1000000000",
			fmt.Sprint("-walks=", walksPerTurn), fmt.Sprint("-depth=", depth)}}).run()
	}
	for range s.rounds {
		few, err := at(shallow)
		if err != nil {
			return nil, nil, err
		}
		many, err := at(deep)
		if err != nil {
			return nil, nil, err
		}
		for i := range walkers {
			if few[i].cpu >= 0 && many[i].cpu >= 0 {
				frame[i] = append(frame[i], (many[i].cpu-few[i].cpu)/(deep-shallow))
			}
		}
		begin = append(begin, few[0].cpu-shallow*(many[0].cpu-few[0].cpu)/(deep-shallow))
	}
	return frame, begin, nil
}
