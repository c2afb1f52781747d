//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"errors"
	"slices"
	"time"
)

// A chunk begins with two words: the size of the chunk before it, valid if that is free, and its own size, whose lowest bits
// say whether the chunk before it is in use, and two things more.
const (
	chunkSize     = 8
	chunkBeforeIn = 1
	chunkFlags    = 7
	chunkLeast    = 32
	chunkFence    = 16 // the size of the last chunks but one of a heap that is not the newest; the last has 0
)

// glibc returns whole pages that begin after the chunk's header and its links.
const chunkLinks = 48

// heapCounts is what was counted in a heap.
type heapCounts struct {
	inUse, free  uint64
	freeResident uint64
	whole        uint64 // of that, in whole free pages
	trimmable    uint64 // of that, what malloc_trim returns to the kernel
}

func (t *heapCounts) add(u heapCounts) {
	t.inUse += u.inUse
	t.free += u.free
	t.freeResident += u.freeResident
	t.whole += u.whole
	t.trimmable += u.trimmable
}

var (
	errChunk = errors.New("the chunks do not lead to the heap's end")
	errTime  = errors.New("no time was left")
)

// walk goes through a heap chunk by chunk.
type walk struct {
	heap
	position
	memory   window
	fast     []uint64 // free chunks that look as if they were in use, in order, each with hidden
	passed   int      // how many of them lie before the chunk
	deadline time.Time
	steps    []position // where windows began, to go back to
	retries  int
}

// position is a state of a walk.
type position struct {
	at, size uint64 // the chunk
	run      uint64 // where free chunks begin that end at it; at if there are none
	counts   heapCounts
}

const (
	mostRetries = 64
	mostSteps   = 1 << 10
)

// walkHeap counts the chunks of a heap. fast lists the arena's chunks in fast bins, ascending, each address with the bit hidden. If there
// is an error, it has counted the first looked bytes of the heap.
func walkHeap(h heap, res residency, fast []uint64, deadline time.Time) (t heapCounts, looked uint64, err error) {
	w := &walk{heap: h, fast: fast, deadline: deadline}
	defer w.clear()
	w.passed, _ = slices.BinarySearch(fast, h.Start|hidden)
	w.memory.residency = res
	if !w.begin() {
		return heapCounts{}, 0, errChunk
	}
	for done := false; !done; {
		if done, err = w.step(); errors.Is(err, errChunk) && w.back() {
			err = nil
		}
		if err != nil {
			return w.counts, w.run - w.Start, err
		}
	}
	return w.counts, w.Limit - w.Start, nil
}

// clear leaves no address behind, and nothing that was copied: package twin would take it for the program's.
func (w *walk) clear() {
	clear(w.memory.buffer[:])
	clear(w.steps[:cap(w.steps)])
	w.position = position{}
}

const searched = 1 << 16 // a static executable has other data at the start of its data segment

// begin goes to the first chunk.
func (w *walk) begin() bool {
	for at := w.Start; at < min(w.Limit, w.Start+searched); at += chunkAlignment {
		if w.first != 0 {
			at = w.first
		}
		if size, _, ok := w.header(at); ok && (w.first != 0 || w.leads(at)) {
			w.position = position{at: at, size: size, run: at, counts: heapCounts{inUse: w.head(at)}}
			return true
		}
		if w.first != 0 {
			break
		}
	}
	return false
}

// head is what glibc counts as in use before a heap's first chunk.
func (w *walk) head(first uint64) uint64 {
	if w.arena.main {
		return 0
	}
	return first - w.Start
}

// leads reports whether many chunks follow one another from an address on, or all up to the heap's end.
func (w *walk) leads(at uint64) bool {
	for range 100 {
		size, _, ok := w.header(at)
		if !ok || size < chunkLeast {
			return false
		}
		if at += size; at == w.Limit {
			return true
		}
	}
	return true
}

// header reads a chunk's size, and whether the chunk before it is in use. It must fit the heap.
func (w *walk) header(at uint64) (size uint64, before, ok bool) {
	if w.Limit-at < 16 || !w.memory.load(at) {
		return 0, false, false
	}
	word := w.memory.at(at + chunkSize)
	size = word &^ chunkFlags
	return size, word&chunkBeforeIn != 0, size%chunkAlignment == 0 && size <= w.Limit-at
}

// step goes on to the next chunk. True at the heap's end.
func (w *walk) step() (done bool, err error) {
	next, copied := w.at+w.size, w.memory.from
	if next == w.Limit || w.size == 0 {
		return true, w.end()
	}
	size, before, ok := w.header(next)
	if w.memory.from != copied {
		if err = w.moved(); err != nil {
			return false, err
		}
	}
	if !ok || w.size < chunkLeast && w.size != chunkFence || !before && w.memory.at(next) != w.size {
		return false, errChunk
	}
	if free := !before || w.isFast(); !free {
		w.flush()
		w.counts.inUse += w.size
		w.run = next
	}
	w.at, w.size = next, size
	return false, nil
}

// moved notes where a window began.
func (w *walk) moved() error {
	if w.steps == nil { // it never grows: what it was before would not be cleared
		w.steps = make([]position, 0, min(mostSteps, (w.Limit-w.Start)/pageSize+mostRetries))
	}
	if len(w.steps) == cap(w.steps) {
		w.steps = append(w.steps[:0], w.steps[cap(w.steps)/2:]...)
	}
	w.steps = append(w.steps, w.position)
	if processorTime().After(w.deadline) {
		return errTime
	}
	return nil
}

// back returns to where a window began, each time one further, because its memory may have changed since it was copied.
func (w *walk) back() bool {
	if w.retries++; w.retries > mostRetries || len(w.steps) == 0 {
		return false
	}
	back := max(0, len(w.steps)-1-w.retries/4)
	w.position, w.steps = w.steps[back], w.steps[:back]
	w.memory.forget()
	w.passed, _ = slices.BinarySearch(w.fast, w.at|hidden)
	size, _, ok := w.header(w.at)
	w.size = size
	return ok || w.back()
}

// isFast reports whether the chunk is in a fast bin.
func (w *walk) isFast() bool {
	for w.passed < len(w.fast) && w.fast[w.passed] < w.at|hidden {
		w.passed++
	}
	return w.passed < len(w.fast) && w.fast[w.passed] == w.at|hidden
}

// flush counts the free chunks before the chunk, as one: glibc joins the chunks in fast bins with others before it trims.
func (w *walk) flush() {
	if w.run == w.at {
		return
	}
	whole := w.wholePages(w.run, w.at)
	w.counts.add(heapCounts{free: w.at - w.run, freeResident: w.memory.residency.bytes(w.run, w.at), whole: whole, trimmable: whole})
}

// wholePages returns the resident bytes of the pages of a free chunk that malloc_trim returns to the kernel.
func (w *walk) wholePages(start, limit uint64) uint64 {
	from, to := (start+chunkLinks+pageSize-1)&^(pageSize-1), limit&^(pageSize-1)
	if from >= to {
		return 0
	}
	return w.memory.residency.bytes(from, to)
}

// end counts the last chunk: the arena's top in its newest heap, otherwise a fence.
func (w *walk) end() error {
	if !w.newest {
		fence := uint64(0)
		if w.arena.main { // before memory that others took by sbrk
			fence = chunkFence
		}
		if w.size != fence || w.at+16 != w.Limit {
			return errChunk
		}
		w.flush()
		w.counts.inUse += chunkFence
		return nil
	}
	if w.size == 0 || w.at+w.size != w.Limit {
		return errChunk
	}
	res := w.memory.residency
	top := heapCounts{free: w.Limit - w.run, freeResident: res.bytes(w.run, w.Limit), whole: w.wholePages(w.run, w.Limit)}
	if w.arena.main { // malloc_trim lowers the end of the data segment by whole pages, and leaves other arenas' tops alone
		top.trimmable = res.bytes(w.Limit-(top.free-chunkLeast-1)&^(pageSize-1), w.Limit)
	}
	w.counts.add(top)
	return nil
}
