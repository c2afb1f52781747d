package main

import (
	"context"
	"runtime/pprof"
	"sync"

	"github.com/cgoheap/cgoheap/e2e/truth"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// A tour visits sites and keeps the book of what they allocate.
type tour struct {
	plugin   victim.Plugin
	keep     bool // every other block
	labelled bool // each visit has a label
	ledger   truth.Ledger

	mutex     sync.Mutex
	databases []*database
}

// A visit is one entrance's turn at one site.
type visit struct {
	tour  *tour
	below []string // the frames from perform to the entry of the goroutine or thread
	count int      // how often to repeat the site's work
}

//go:noinline
func (t *tour) enter(e entrance, count int) {
	v := &visit{tour: t, count: count}
	v.below = frames("main.(*visit).all", "main.(*tour).enter.func1", e.frames)
	e.run(func() {
		v.label()
		v.all()
		pprof.SetGoroutineLabels(context.Background())
	})
}

// label sets the goroutine's labels, without a frame on the stack as pprof.Do has.
func (v *visit) label() {
	if v.tour.labelled {
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("way", truth.Way(v.below))))
	}
}

//go:noinline
func (v *visit) all() {
	for _, s := range blockSites {
		v.blocks(s)
	}
	v.nothing()
	v.reallocs()
	v.failures()
	v.lines()
	v.prints()
	v.vectors()
	v.strings()
	v.exceptions()
	v.around()
	v.threads()
	v.plugin()
	v.sqlite()
}

// keeps reports whether the i-th block of a visit stays allocated.
func (v *visit) keeps(i int) bool { return v.tour.keep && i%2 == 0 }

// add writes amounts down for the stack of these frames, above those that led to the visit.
func (v *visit) add(frames []string, amounts truth.Values) {
	v.tour.ledger.Add(append(append([]string(nil), frames...), v.below...), amounts)
}

func (v *visit) allocated(frames []string, bytes int64) {
	v.add(frames, truth.Blocks(bytes, 1, 1))
}

func (v *visit) freed(frames []string, bytes int64) {
	v.add(frames, truth.Blocks(bytes, 0, -1))
}

// passed is a block that was allocated and is free again.
func (v *visit) passed(frames []string, bytes int64) {
	v.allocated(frames, bytes)
	v.freed(frames, bytes)
}
