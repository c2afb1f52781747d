package main

import (
	"fmt"
	"math"
)

// wholeCallers are the calls of Go that make a stack of 30 frames: 14 of C, and 16 of Go and of the crossing. Each route
// replaces one call of Go.
const wholeCallers = 6

// whole measures the time that one sample takes: to decide, to walk 30 frames of C and Go, to intern the stack, to remember
// the block, and to forget it when it is freed. It is compared with a recording that hardly ever samples, and the difference
// is divided by the share of blocks that are sampled.
func whole(s setup) error {
	with, err := loadGo()
	if err != nil {
		return err
	}
	flags := shape{threads: 1}.flags(pairsPerTurn)
	at := func(bytes, routes int) *contender {
		return &contender{name: "cgoheap", command: append([]string{with, fmt.Sprint("-sample=", bytes),
			fmt.Sprint("-routes=", routes), fmt.Sprint("-callers=", wholeCallers-routes)}, flags...)}
	}
	s.table.headAlone("One sample of 30 mixed frames, whole", "ns")
	for _, routes := range []int{0, 6} {
		never, seldom, often := at(1<<36, routes), at(64<<10, routes), at(4<<10, routes)
		if err := compete(s.rounds, never, seldom, often); err != nil {
			return err
		}
		base := never.measured(byCPU)
		about := fmt.Sprint(", stacks: ", 1<<routes)
		s.table.printAlone("every 64 KiB"+about, seldom.measured(byCPU).minus(base).over(sampledShare(64<<10)), 1000)
		s.table.printAlone("every 4 KiB"+about, often.measured(byCPU).minus(base).over(sampledShare(4<<10)), 1000)
	}
	return nil
}

// sampledShare returns the share of the work's blocks that are sampled at this interval.
func sampledShare(interval float64) float64 {
	const least, most = 16, 512
	sum := 0.0
	for size := least; size <= most; size++ {
		sum -= math.Expm1(-float64(size+1) / interval)
	}
	return sum / (most - least + 1)
}
