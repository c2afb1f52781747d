package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
)

func main() {
	var o order
	flag.IntVar(&o.pairs, "pairs", 1_000_000, "pairs of malloc and free in a segment")
	flag.IntVar(&o.live, "live", 4096, "blocks that live at any time, a power of two")
	flag.IntVar(&o.depth, "depth", 9, "calls of C above the one that allocates")
	flag.IntVar(&o.climb, "climb", 1, "1: each allocation goes down these calls; 0: the loop is at the bottom of them")
	flag.IntVar(&o.routes, "routes", 0, "the logarithm of the number of stacks that allocate")
	flag.IntVar(&o.least, "least", 16, "bytes of the smallest block")
	flag.IntVar(&o.most, "most", 512, "bytes of the largest block")
	callers := flag.Int("callers", 0, "calls of Go above those of C")
	threads := flag.Int("threads", 1, "how many allocate, each this much")
	segments := flag.Int("segments", 1, "how often this is measured")
	sample := flag.Int64("sample", 0, "mean bytes between samples; 0 records nothing")
	walks := flag.Int("walks", 0, "walk the stack so often, instead of allocating")
	dumps := flag.Int("dumps", 0, "write so many profiles and print how long they delay others, instead")
	held := flag.Int("hold", 0, "allocate so many blocks that stay, before the dumps or instead")
	stacks := flag.Int("stacks", 1, "the stacks of those that stay")
	larges := flag.Bool("large", false, "work with large blocks and aligned ones instead")
	paced := flag.Int("paced", 0, "1: wait for a line of input before each segment")
	flag.Parse()
	recording, err := record(*sample)
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	switch {
	case *walks > 0:
		walk(o.depth, *walks)
	case *larges:
		large()
	case *dumps > 0:
		hold(*held, *stacks, o.depth)
		err = delays(recording, *dumps)
	case *held > 0:
		err = memory(recording, *held, *stacks, o.depth)
	default:
		work(o, *callers, *threads, *segments, func() { wait(*paced) })
	}
	if err := errors.Join(err, recording.Stop()); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// work runs the segments one after the other, on all threads at once, and waits before each.
func work(o order, callers, threads, segments int, wait func()) {
	all := make([]*pairs, threads)
	each(threads, func(i int) { all[i] = openPairs(o, i+1) })
	for range segments {
		wait()
		found := make([]figures, threads)
		each(threads, func(i int) { found[i] = below(callers, all[i]) })
		var slowest figures
		for _, f := range found {
			slowest = figures{max(slowest.wall, f.wall), max(slowest.cpu, f.cpu)}
		}
		fmt.Printf("%.3f %.3f\n", slowest.wall, slowest.cpu)
	}
	each(threads, func(i int) { all[i].close() })
}

// wait reads a line, of which there is only the end.
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
