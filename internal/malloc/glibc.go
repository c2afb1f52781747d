//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
)

// glibc reads the heaps of glibc's malloc. If they cannot be read, only its own sums remain: how much is in use and free.
func glibc(deadline time.Time, others ...account.Range) (Kept, bool) {
	f := cgo.RealFunction("malloc_trim")
	if f == nil {
		return Kept{}, false
	}
	k := Kept{trim: func() { trim(f) }}
	k.Name, k.Rounded = glibcName, glibcRounds
	if err := k.readHeaps(deadline, others); err != nil {
		k.Unknown = err.Error()
		if ask := cgo.RealFunction("mallinfo2"); ask != nil {
			k.bySums(func() glibcSums { return mallinfo2(ask) })
		}
	}
	return k, true
}

// patience is how long the account waits for mallinfo2. Tests replace it.
var patience = time.Second

// asking is whether a thread is in mallinfo2.
var asking atomic.Bool

// bySums fills in glibc's own sums. mallinfo2 waits for the lock of each arena. A thread that is stopped while it holds one, by a debugger
// or by a signal handler that never returns, would keep it waiting for ever. So another goroutine calls it, and no second one while that
// waits.
func (k *Kept) bySums(ask func() glibcSums) {
	if !asking.CompareAndSwap(false, true) {
		k.Unknown += "; mallinfo2 is still waiting for a lock"
		return
	}
	answer := make(chan glibcSums, 1)
	go background.Run("mallinfo2", func() {
		defer close(answer)
		defer asking.Store(false)
		answer <- ask()
	}, nil)
	select {
	case s, answered := <-answer:
		if !answered {
			k.Unknown += "; reading mallinfo2 failed"
			return
		}
		k.HasFigures, k.InUse, k.Free = true, s.inUse+s.apart.bytes, s.free
	case <-time.After(patience):
		k.Unknown += "; mallinfo2 waits for a lock"
	}
}

// waits are what is waited for before each try to find the heaps. A thread that changes one may lose its processor in the middle: on a
// busy machine it goes on some ten milliseconds later.
var waits = []time.Duration{0, 0, 0, 0, time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
	40 * time.Millisecond}

// readHeaps fills in what the heaps show. The program goes on meanwhile: it tries again if they change too much.
func (k *Kept) readHeaps(deadline time.Time, others []account.Range) error {
	l, err := await(func() (layout, error) { return findHeaps(others...) })
	if err != nil {
		return err
	}
	defer l.forget()
	k.Arenas = len(l.arenas)
	k.Ranges, k.Apart = l.ranges(), apart(&l)
	return k.count(l, deadline)
}

// await tries until it succeeds, with all waits at most.
func await(find func() (layout, error)) (l layout, err error) {
	for _, wait := range waits {
		time.Sleep(wait)
		if l, err = find(); err == nil {
			return l, nil
		}
	}
	return l, err
}

// layout is where the chunks are.
type layout struct {
	data   []words // that malloc's variables are among
	arenas []arena
	heaps  [][]heap // of each arena
}

// forget clears what has addresses of chunks: see words.forget.
func (l layout) forget() {
	clear(l.arenas)
	for _, w := range l.data {
		w.forget()
	}
}

func (l layout) ranges() (ranges []account.Range) {
	for _, heaps := range l.heaps {
		for i := range heaps {
			ranges = append(ranges, heaps[i].reserved())
		}
	}
	return ranges
}

func (l layout) size() (sum uint64) {
	for _, heaps := range l.heaps {
		sum += size(heaps)
	}
	return sum
}

func size(heaps []heap) (sum uint64) {
	for i := range heaps {
		sum += heaps[i].Limit - heaps[i].Start
	}
	return sum
}

func findHeaps(others ...account.Range) (layout, error) {
	data, err := dataOfMalloc()
	if err != nil {
		return layout{}, err
	}
	first, ok := arena{}, false
	for _, w := range data {
		if first, ok = mainArena(w); ok {
			break
		}
	}
	if !ok {
		return layout{}, fmt.Errorf("%w: there is no first arena", errLayout)
	}
	program, err := account.Break(proc)
	if err != nil {
		program = []account.Range{first.segment()}
	}
	l := layout{data: data}
	if l.arenas, err = arenas(first); err != nil {
		return layout{}, err
	}
	for i := range l.arenas {
		heaps, err := heapsOf(&l.arenas[i], without(program, others))
		if err == nil {
			err = checkSum(&l.arenas[i], heaps, bytesOf(others))
		}
		if err != nil {
			return layout{}, err
		}
		l.heaps = append(l.heaps, heaps)
	}
	return l, nil
}

// checkSum compares an arena's heaps with what it has from the system.
func checkSum(a *arena, heaps []heap, others uint64) error {
	var sum uint64
	for _, h := range heaps {
		sum += h.Limit - h.Start
	}
	// The data segment may have been moved on by others too: glibc counts some of that as its own. And the first arena has other memory
	// where it cannot grow.
	if sum == a.system || a.main && sum+others >= a.system {
		return nil
	}
	return fmt.Errorf("%w: an arena has %d bytes from the system, %d were found", errLayout, a.system, sum)
}

// count walks through the heaps, and estimates those for which there was no time, or which changed too much, like the others.
func (k *Kept) count(l layout, deadline time.Time) error {
	arenas := make([]part, len(l.heaps))
	var failed error
	left := l.size()
	for i, heaps := range l.heaps {
		fast := fastChunks(&l.arenas[i], heaps, share(deadline, size(heaps)/2, left))
		for _, h := range heaps {
			if err := arenas[i].look(h, fast, share(deadline, h.Limit-h.Start, left)); err != nil {
				failed = err
			}
			left -= h.Limit - h.Start
		}
	}
	if k.fill(arenas) {
		return nil
	}
	return failed
}

// share returns when the share of the time ends that so many of the bytes left have.
func share(deadline time.Time, bytes, left uint64) time.Time {
	now := processorTime()
	return now.Add(time.Duration(float64(deadline.Sub(now)) * float64(bytes) / float64(max(left, 1))))
}

// residentNow returns the resident bytes that Trim can lower: in an allocator's ranges, or by its own figure.
func residentNow(k Kept) (n uint64) {
	if k.resident != nil {
		return k.resident()
	}
	for _, r := range k.Ranges {
		n += residencyOf(r).total()
	}
	return n
}
