package main

import (
	"fmt"
	"os"
	"sync"
)

// work is what threads do at once, in segments, below callers calls of Go. If it is paced, it waits for a line of input
// before each segment.
type work struct {
	order
	callers, threads, segments, paced int
}

// run prints a line for each segment. The reader of the last line may end the process, so the recording is checked before it.
func (w work) run(r recording) error {
	all := make([]*pairs, w.threads)
	each(w.threads, func(i int) { all[i] = openPairs(w.order, i+1) })
	for n := range w.segments {
		wait(w.paced)
		slowest := w.segment(all)
		if n == w.segments-1 {
			if err := r.sampled(w.pairs*w.segments*w.threads, float64(w.least+w.most)/2); err != nil {
				return err
			}
		}
		fmt.Printf("%.3f %.3f\n", slowest.wall, slowest.cpu)
	}
	each(w.threads, func(i int) { all[i].close() })
	return nil
}

func (w work) segment(all []*pairs) (slowest figures) {
	found := make([]figures, len(all))
	each(len(all), func(i int) { found[i] = below(w.callers, all[i]) })
	for _, f := range found {
		slowest = figures{max(slowest.wall, f.wall), max(slowest.cpu, f.cpu)}
	}
	return slowest
}

// wait reads an empty line.
func wait(paced int) {
	var line [1]byte
	if paced != 0 {
		_, _ = os.Stdin.Read(line[:]) // the end of the input lets it go
	}
}

//go:noinline
func below(callers int, p *pairs) (f figures) {
	if callers > 0 {
		f = below(callers-1, p)
	} else {
		f = p.run()
	}
	return f
}

func each(threads int, do func(i int)) {
	var running sync.WaitGroup
	for i := range threads {
		running.Go(func() { do(i) })
	}
	running.Wait()
}
