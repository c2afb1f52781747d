package export

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/excerpt"
)

// recoverer is a Profiler that recovers the last profiles of processes that died. It is not part of Profiler, so that other
// implementations of that need not have it.
type recoverer interface {
	Recovered(ctx context.Context) ([]cgoheap.Recovered, error)
}

var _ recoverer = (*cgoheap.Profiler)(nil)

// recovery puts recovered profiles into the queue, once, in its own goroutine.
type recovery struct {
	profiler recoverer
	place    string
	part     excerpt.Part
	queue    *queue
	counters *counters
}

// newRecovery returns nil if the author's profiler recovers nothing. A dead process has delivered its own allocations while it
// lived, so only the memory in use is sent, without a duration.
func newRecovery(a *author, place string) *recovery {
	from, is := a.profiler.(recoverer)
	if !is {
		return nil
	}
	part := excerpt.Part{
		Columns: []string{"inuse_objects", "inuse_space"}, Labels: a.form.Labels,
		MaxSamples: a.config.MaxSamples, MaxBytes: a.config.MaxBytes,
	}
	return &recovery{profiler: from, place: place, part: part, queue: a.queue, counters: a.counters}
}

// run waits until the profiler's recovery is over, or ctx is done.
func (r *recovery) run(ctx context.Context) {
	var list []cgoheap.Recovered
	err := guarded("the profiler", func() (err error) {
		list, err = r.profiler.Recovered(ctx)
		return err
	})
	if err != nil && ctx.Err() == nil {
		r.counters.recoveredFailed(nil, err)
	}
	for i := range list {
		r.take(&delivery.Recovered{Path: list[i].Path, Ended: list[i].Ended})
	}
}

// take puts one profile into the queue, unless an exporter to the same place has done so.
func (r *recovery) take(from *delivery.Recovered) {
	if _, before := taken.LoadOrStore(claim{r.place, from.Path, from.Ended.UnixNano()}, true); before {
		return
	}
	var batch *delivery.Batch
	err := guarded("reading a recovered profile", func() (err error) {
		batch, err = r.compose(from)
		return err
	})
	switch {
	case err != nil:
		r.counters.recoveredFailed(from, err)
	case batch == nil:
		r.counters.count(&r.counters.empty)
	default:
		for _, e := range r.queue.put(batch) {
			r.counters.lost(e, &r.counters.dropped, errFull)
		}
	}
}

// taken has the claims of all exporters of this process, because one that is started after another has stopped asks the
// profiler for the same list. A profile that arrived twice would be added up.
var taken sync.Map

type claim struct {
	place, path string
	ended       int64
}

// compose reads a profile, within what the queue accepts for a batch. It returns nil for one without a sample.
func (r *recovery) compose(from *delivery.Recovered) (*delivery.Batch, error) {
	written, err := readFile(from.Path, r.queue.mostBatchBytes())
	if err != nil {
		return nil, err
	}
	profile, err := excerpt.Read(written)
	if err != nil {
		return nil, err
	}
	data, err := profile.Write(r.part)
	if data == nil || err != nil {
		return nil, err
	}
	b := &delivery.Batch{Profiles: [][]byte{data}, Recovered: from}
	if b.Size() > r.queue.mostBatchBytes() {
		return nil, errTooLong
	}
	b.Unnamed, err = unnamed(profile)
	return b, err
}

func readFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, fmt.Errorf("reading a recovered profile: %w", err)
	}
	if int64(len(data)) > most {
		return nil, errTooLong
	}
	return data, nil
}
