//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// Counters returns all of the recording's counters, zero or not, in a fixed order. After Stop they keep the values of that
// moment.
func (r *Recording) Counters() []stack.Loss {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return r.losses
	}
	return r.counters()
}

// Counted returns those of Counters that are known without a look at the tables, which takes microseconds. After Stop it
// returns all.
func (r *Recording) Counted() []stack.Loss {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return r.losses
	}
	return r.counted()
}

func (r *Recording) counters() []stack.Loss { return append(r.counted(), r.cutNow()...) }

func (r *Recording) counted() []stack.Loss {
	var list []stack.Loss
	for i, c := range layout.Counters {
		list = append(list, stack.Loss{Name: c.Name, Sentence: c.Sentence, Count: cgo.Counted(i)})
	}
	list = append(list, stack.Loss{Name: "table_bytes", Sentence: "bytes of the tables in use",
		Count: region().Load64(layout.HeaderUsed)})
	list = append(list, stack.Loss{Name: "blackbox_pages_missing", Count: region().Load64(layout.HeaderMissing),
		Sentence: "pages of the black box that its volume had no room for; profiles are whole, and the box is of no use"})
	return append(list, r.ownLosses()...)
}

// lossCounters returns the counters of what the profile lacks.
func (r *Recording) lossCounters() []stack.Loss {
	var list []stack.Loss
	for i, c := range layout.Counters {
		if n := cgo.Counted(i); c.Loss && n != 0 {
			list = append(list, stack.Loss{Name: c.Name, Sentence: c.Sentence, Count: n})
		}
	}
	for _, l := range r.ownLosses() {
		if l.Count != 0 {
			list = append(list, l)
		}
	}
	return list
}

// ownLosses returns the counters kept in Go.
func (r *Recording) ownLosses() []stack.Loss {
	lost := stack.Loss{Name: "modules_without_rows", Count: uint64(len(r.loaded.lost)),
		Sentence: "loaded files whose unwind data could not be read"}
	if lost.Count > 0 {
		lost.Sentence += ", the first being " + r.loaded.lost[0].Error()
	}
	return []stack.Loss{lost,
		failure("maps_unreadable", "the list of loaded files could not be read, so there are no mappings", r.mapsErr),
		failure("modules_left_out", "the tables had no room for all loaded files", r.fullErr),
		failure("join_off", "stacks end at the call from Go, because this Go runtime was not recognised", r.joinErr),
		failure("operators_unseen", "C++ may allocate unseen memory, because the allocator has its own operator new", r.newErr),
		failure("mappings_off", "calls that map memory are not recorded", r.mapErr),
		failure("labels_off", "samples have no goroutine labels, because this Go runtime was not recognised", r.labelErr)}
}

func failure(name, sentence string, err error) stack.Loss {
	l := stack.Loss{Name: name, Sentence: sentence}
	if err != nil {
		l.Count = 1
		l.Sentence += ": " + err.Error()
	}
	return l
}

// cutNow returns how many bytes stacks have that end early, of what has been recorded until now.
func (r *Recording) cutNow() []stack.Loss {
	var memory scratch.Memory
	defer memory.Free()
	read := r.reader(&memory)
	r.settle()
	return read.Settled().Cut()
}
