// Command crowd measures what recording does to a process with far more busy threads than processors: the time of a pair of
// malloc and free, the share of events that are lost at the gate, the time of a profile, and the longest malloc or free,
// before and during a profile:
//
//	go run ./crowd -threads 500        # in bench/
//
// With -then it changes the interval after a while: the earlier interval should leave no trace.
package main

// #include "crowd.h"
import "C"

import (
	"flag"
	"fmt"
	"io"
	"log"
	"runtime"
	"time"

	"github.com/cgoheap/cgoheap"
)

var (
	threads  = flag.Int("threads", 500, "threads that allocate and free")
	live     = flag.Int("live", 64, "blocks that each keeps")
	bytes    = flag.Int64("bytes", 1, "mean bytes between samples; 0: nothing is recorded")
	then     = flag.Int64("then", 0, "the mean after the first measurement; 0: the same")
	lasting  = flag.Duration("time", 3*time.Second, "how long pairs are counted")
	profiles = flag.Int("profiles", 3, "profiles that are written")
	delays   = flag.Bool("delays", false, "the longest malloc or free is measured, which makes each slower")
)

func main() {
	flag.Parse()
	var p *cgoheap.Profiler
	if *bytes > 0 {
		var err error
		if p, err = cgoheap.Start(cgoheap.Config{SampleBytes: *bytes}); err != nil {
			log.Fatal(err)
		}
	}
	if !C.crowd_start(C.int(*threads), C.int(*live)) {
		log.Fatal("a thread could not be started")
	}
	if *delays {
		C.crowd_time()
	}
	if p == nil {
		pairs()
		return
	}
	measure(p)
	if *then > 0 {
		if err := p.SetSampleBytes(*then); err != nil {
			log.Fatal(err)
		}
		measure(p)
	}
}

func measure(p *cgoheap.Profiler) {
	pairs()
	lost(p)
	for range *profiles {
		profile(p)
		lost(p)
	}
}

// pairs prints the time of a pair by the wall clock, on all processors.
func pairs() {
	time.Sleep(time.Second)
	C.crowd_longest()
	begin, before := time.Now(), C.crowd_pairs()
	time.Sleep(*lasting)
	took, done := time.Since(begin), C.crowd_pairs()-before
	busy := min(*threads, runtime.NumCPU())
	fmt.Printf("%d pairs, %.1f ns each on %d processors%s\n", done,
		float64(took.Nanoseconds())*float64(busy)/float64(done), busy, longest())
}

func longest() string {
	if !*delays {
		return ""
	}
	return fmt.Sprintf(", the longest malloc or free %v", time.Duration(C.crowd_longest()))
}

func lost(p *cgoheap.Profiler) {
	stats := p.Stats()
	lost := stats.Value("lost_gate_full")
	events := stats.Value("samples") + stats.Value("frees") + lost
	fmt.Printf("    %d of %d events were lost at the gate: %.3f %%, snapshots unsettled: %d\n", lost, events,
		100*float64(lost)/float64(max(events, 1)), stats.Value("snapshots_unsettled"))
}

// written counts the bytes of a profile.
type written int

func (w *written) Write(p []byte) (int, error) {
	*w += written(len(p))
	return len(p), nil
}

func profile(p *cgoheap.Profiler) {
	var size written
	begin, before := time.Now(), C.crowd_pairs()
	if err := p.WriteProfile(io.Writer(&size)); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("a profile of %d bytes: %v by the clock, %d pairs meanwhile%s\n", size,
		time.Since(begin).Round(time.Microsecond), C.crowd_pairs()-before, longest())
}
