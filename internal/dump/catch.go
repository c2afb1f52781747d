package dump

import (
	"log/slog"
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
		d.look()
		return noted
	}
	arrived, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(arrived, others...)
	d.look()
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
	c := catchAll(d.Signals, deliver, askAll)
	noting.Lock()
	d.caught = c // from here on deliver leaves others to os/signal
	noting.Unlock()
	return func() {
		noting.Lock()
		noting.dumpers = slices.DeleteFunc(noting.dumpers, func(other *dumper) bool { return other == d })
		noting.Unlock()
		c.release()
	}, c.others
}

// deliver passes the signals noted since the last call on to every dumper that does not get them from os/signal. Cgo can note a
// signal for one dumper that another gets from os/signal: somebody changed in between what the signal does.
func deliver() {
	noting.Lock()
	defer noting.Unlock()
	for _, s := range takeCaught() {
		for _, d := range noting.dumpers {
			if slices.Contains(d.Signals, os.Signal(s)) && !slices.Contains(d.caught.others, os.Signal(s)) {
				d.signalled(s)
			}
		}
	}
}

// askAll has each dumper look what its signals do now.
func askAll() {
	noting.Lock()
	defer noting.Unlock()
	for _, d := range noting.dumpers {
		d.changed.Store(true)
		d.task.Ask()
	}
}

// look reports which signals make no dump any more, and which do again. Somebody may have changed what they do.
func (d *dumper) look() {
	noting.Lock()
	c := d.caught
	noting.Unlock()
	d.looking.Lock()
	defer d.looking.Unlock()
	if d.lost == nil {
		d.lost = make(map[os.Signal]error)
	}
	for _, s := range d.Signals {
		err := c.lost(s)
		switch was := d.lost[s]; {
		case err != nil && (was == nil || was.Error() != err.Error()):
			d.Logger.Warn("cgoheap: a signal may not reach the profiler", slog.String("signal", s.String()), slog.Any("error", err))
		case err == nil && was != nil:
			d.Logger.Info("cgoheap: a signal reaches the profiler again", slog.String("signal", s.String()))
		}
		d.lost[s] = err
	}
}
