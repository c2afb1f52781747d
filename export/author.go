package export

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/excerpt"
)

// author takes the profiles and puts them into the queue, in its own goroutine. It never waits for the server.
type author struct {
	profiler  Profiler
	selection cgoheap.Selection
	form      delivery.Form
	config    Config
	queue     *queue
	counters  *counters
}

// run takes a profile in every interval, and a last one when quit is closed. The first comes after a random part of the
// interval, so that processes of a fleet that started together do not send together.
func (a *author) run(quit <-chan struct{}) {
	defer a.queue.close()
	timer := time.NewTimer(rand.N(a.config.Interval))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			a.take()
			timer.Reset(spread(a.config.Interval))
		case <-quit:
			a.take()
			return
		}
	}
}

// take puts a profile of the current moment into the queue.
func (a *author) take() {
	var batch *delivery.Batch
	err := guarded("the profiler", func() (err error) {
		batch, err = a.compose()
		return err
	})
	switch {
	case err != nil:
		a.counters.failed(err)
	case len(batch.Profiles) == 0:
		a.counters.count(&a.counters.empty)
	default:
		a.counters.count(&a.counters.taken)
		for _, e := range a.queue.put(batch) {
			a.counters.lost(e, &a.counters.dropped, errFull)
		}
	}
}

// compose writes a profile into a buffer that is bounded by what the queue accepts. A profile beyond the bound is an error
// of writing: its allocations become part of the next profile, because a Baseline advances only with a profile that was
// written. A later failure would be a fault of this package, and loses one delta. If the files without names cannot be
// listed, only their upload is lost.
func (a *author) compose() (*delivery.Batch, error) {
	parts := partsOf(a.form)
	written := &bounded{most: a.queue.mostBatchBytes() / int64(len(parts))} // each part may take as much
	if err := a.profiler.Write(written, a.selection); err != nil {
		return nil, err
	}
	profile, err := excerpt.Read(written.Bytes())
	if err != nil {
		return nil, err
	}
	b := &delivery.Batch{}
	for _, part := range parts {
		data, err := profile.Write(part)
		if err != nil {
			return nil, err
		}
		if data != nil {
			b.Profiles = append(b.Profiles, data)
		}
	}
	if b.Size() > a.queue.mostBatchBytes() {
		return nil, errTooLong
	}
	if b.Unnamed, err = unnamed(profile); err != nil {
		a.counters.failed(err)
	}
	return b, nil
}

// unnamed returns the files in which a location of the profile could not be named.
func unnamed(p *excerpt.Profile) (list []delivery.Module, err error) {
	modules, err := p.Unnamed()
	if err != nil {
		return nil, fmt.Errorf("listing the files without names: %w", err)
	}
	for _, m := range modules {
		list = append(list, delivery.Module(m))
	}
	return list, nil
}

// partsOf returns the profiles that a batch consists of.
func partsOf(f delivery.Form) []excerpt.Part {
	if !f.Apart {
		return []excerpt.Part{{Duration: true, Labels: f.Labels}}
	}
	return []excerpt.Part{
		{Columns: []string{"inuse_objects", "inuse_space"}, Labels: f.Labels},
		{Columns: []string{"alloc_objects", "alloc_space"}, Duration: true, Labels: f.Labels},
	}
}

var errTooLong = errors.New("the profile is too long for Config.QueueBytes")

// bounded is a buffer that fails when it is full.
type bounded struct {
	bytes.Buffer
	most int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.Len()+len(p)) > b.most {
		return 0, errTooLong
	}
	return b.Buffer.Write(p)
}
