package cgoheap

import (
	"os"
	"os/signal"
	"slices"
	"sync"

	"github.com/cgoheap/cgoheap/internal/errand"
)

// catch has the dumper told of its signals until ignore is called. Those that can be noted on their way to Go's runtime
// take no goroutine; for the others, os/signal starts one, and one of ours listens to it.
func (d *dumper) catch() (ignore func()) {
	noted, others := d.note()
	if len(others) == 0 {
		return noted
	}
	arrived, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(arrived, others...)
	var listening sync.WaitGroup
	listening.Add(1)
	go func() {
		defer listening.Done()
		errand.Run("waiting for signals", func() { d.listen(arrived, done) }, d.profiler.failed)
	}()
	return func() {
		noted()
		signal.Stop(arrived)
		close(done)
		listening.Wait()
	}
}

func (d *dumper) listen(arrived <-chan os.Signal, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case s := <-arrived:
			d.signalled(s)
		}
	}
}

// noting are the dumpers that wait for signals which are noted on their way.
var noting struct {
	sync.Mutex
	dumpers []*dumper
}

// note waits for what signals it can, and returns the others.
func (d *dumper) note() (ignore func(), others []os.Signal) {
	noting.Lock()
	noting.dumpers = append(noting.dumpers, d)
	noting.Unlock()
	noted, others := catchAll(d.Signals, deliver)
	return func() {
		noting.Lock()
		noting.dumpers = slices.DeleteFunc(noting.dumpers, func(other *dumper) bool { return other == d })
		noting.Unlock()
		noted.release()
	}, others
}

// deliver tells every dumper of the signals that were noted since the last time.
func deliver() {
	noting.Lock()
	defer noting.Unlock()
	for _, s := range takeCaught() {
		for _, d := range noting.dumpers {
			if slices.Contains(d.Signals, os.Signal(s)) {
				d.signalled(s)
			}
		}
	}
}
