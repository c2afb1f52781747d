package main

// #include "storm.h"
import "C"

import (
	"fmt"
	"io"
	"math"
	"runtime"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/truth"
)

// runPairs frees and allocates a given number of times. After each tenth it measures the cost of a pair and what the process
// holds, and checks the estimates. Costs are only printed.
func runPairs(to io.Writer, count uint64) error {
	runtime.LockOSThread()
	p, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		return err
	}
	defer C.stress_end_pairs()
	var allocated C.struct_flow
	var first, last float64
	var before usage
	for tenth := 1; tenth <= 10; tenth++ {
		var spent C.uint64_t
		C.stress_pairs(C.uint64_t(count/10), &allocated, &spent)
		last = float64(spent) / float64(count/10)
		now, err := used()
		if err != nil {
			return err
		}
		if tenth == 1 {
			first, before = last, now
		}
		fmt.Fprintf(to, "%12d pairs: %5.1f ns a pair, %v, %d bytes of tables, %d samples, %d of them in use\n", uint64(allocated.objects),
			last, now, p.Stats().Value("table_bytes"), p.Stats().Value("samples"), p.Stats().Value("live"))
		if err := before.grown(now); err != nil {
			return err
		}
		if err := estimates(p, allocated); err != nil {
			return err
		}
	}
	fmt.Fprintf(to, "the last tenth costs %.2f times what the first cost\n", last/first)
	C.stress_end_pairs()
	return nothingLeft(p)
}

// ofPairs returns what stress_pairs allocated, according to a profile.
func ofPairs(p *cgoheap.Profiler) (truth.Values, error) {
	taken, err := truth.Take(p)
	if err != nil {
		return truth.Values{}, err
	}
	return of(taken, "stress_pairs"), nil
}

// estimates checks that the bytes allocated, and the bytes in use, are estimated within 6 standard errors: a sample stands
// for half a MiB.
func estimates(p *cgoheap.Profiler, allocated C.struct_flow) error {
	sum, err := ofPairs(p)
	if err != nil {
		return err
	}
	const interval = 512 << 10
	inUse := float64(allocated.bytes) / float64(allocated.objects) * C.STRESS_LIVE
	for _, of := range []struct{ got, want float64 }{{float64(sum[1]), float64(allocated.bytes)}, {float64(sum[3]), inUse}} {
		if slack := 6*math.Sqrt(of.want*interval) + 10*interval; math.Abs(of.got-of.want) > slack {
			return fmt.Errorf("%.0f bytes were estimated, but there were %.0f", of.got, of.want)
		}
	}
	return nil
}

// nothingLeft checks that nothing is in use when all is freed, and stops.
func nothingLeft(p *cgoheap.Profiler) error {
	sum, err := ofPairs(p)
	if err != nil {
		return err
	}
	if sum[2] != 0 || sum[3] != 0 {
		return fmt.Errorf("all is freed, and %d blocks of %d bytes are in use", sum[2], sum[3])
	}
	return end(p)
}
