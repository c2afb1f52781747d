package dump

import (
	"os"
	"os/signal"
	"slices"
	"sync"

	"github.com/cgoheap/cgoheap/internal/background"
)

// catch delivers the dumper's signals to it until ignore is called. Signals that cgo can note on their way to Go's runtime
// take no goroutine. For the others, os/signal starts one, and one of ours listens to it.
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
		background.Run("waiting for signals", func() { d.listen(arrived, done) }, d.Failed)
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

// noting has the dumpers whose signals cgo notes.
var noting struct {
	sync.Mutex
	dumpers []*dumper
}

// note makes cgo note the signals that it can, and returns the others.
func (d *dumper) note() (ignore func(), others []os.Signal) {
	noting.Lock()
	noting.dumpers = append(noting.dumpers, d)
	noting.Unlock()
	noted, others := catchAll(d.Signals, deliver)
	noting.Lock()
	d.others = others // from here on deliver leaves them to os/signal
	noting.Unlock()
	return func() {
		noting.Lock()
		noting.dumpers = slices.DeleteFunc(noting.dumpers, func(other *dumper) bool { return other == d })
		noting.Unlock()
		noted.release()
	}, others
}

// deliver passes the signals noted since the last call on to every dumper that does not get them from os/signal. Cgo can note a
// signal for one dumper that another gets from os/signal: somebody changed in between what the signal does.
func deliver() {
	noting.Lock()
	defer noting.Unlock()
	for _, s := range takeCaught() {
		for _, d := range noting.dumpers {
			if slices.Contains(d.Signals, os.Signal(s)) && !slices.Contains(d.others, os.Signal(s)) {
				d.signalled(s)
			}
		}
	}
}
