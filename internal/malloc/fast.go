//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/internal/peek"
)

// Chunks in fast bins are free, but look as if they were in use, until malloc_trim joins them with their neighbours. Each bin is
// a list of chunks of one size: a chunk's third word is the address of the next, since glibc 2.32 exclusive or its own address
// without the lowest 12 bits.

// mostFast bounds the memory that they take here: 8 bytes a chunk.
const mostFast = 1 << 20

const timeChecked = 1024 // chunks

// fastList is a list that is followed.
type fastList struct {
	heaps []heap
	size  uint64 // of its chunks
	cache *pageCache
}

// hidden is set in addresses that are kept in a list. Such a word is no pointer to a chunk: package twin looks through tags for the
// addresses of blocks only, and a chunk's header is none.
const hidden = 1 << 63

// fastChunks returns the arena's chunks in fast bins, in order, each with hidden. A list that changes meanwhile ends where it leads to no chunk of
// its size.
func fastChunks(a *arena, heaps []heap, deadline time.Time) (chunks []uint64) {
	cache := new(pageCache)
	defer cache.forget()
	for i, at := range a.fast {
		l := fastList{heaps, chunkLeast + chunkAlignment*uint64(i), cache}
		for there := l.has(at); there && len(chunks) < mostFast; at, there = l.after(at) {
			chunks = append(chunks, at|hidden)
			if len(chunks)%timeChecked == 0 && processorTime().After(deadline) {
				break
			}
		}
	}
	slices.Sort(chunks)
	return slices.Compact(chunks)
}

// has reports whether a chunk of the list's size is there.
func (l fastList) has(at uint64) bool {
	if at == 0 || at%chunkAlignment != 0 || !inHeaps(at, l.heaps) {
		return false
	}
	size, ok := l.cache.word(at + chunkSize)
	return ok && size&^chunkFlags == l.size
}

// after returns the chunk that follows; false at the list's end. Which of the two ways of linking this glibc has shows in where a
// link leads.
func (l fastList) after(at uint64) (uint64, bool) {
	link, ok := l.cache.word(at + 2*chunkSize)
	next := link ^ (at+2*chunkSize)>>12
	if !ok || next == 0 || l.has(next) {
		return next, ok && next != 0
	}
	return link, l.has(link)
}

func inHeaps(at uint64, heaps []heap) bool {
	return slices.ContainsFunc(heaps, func(h heap) bool { return h.Start <= at && at < h.Limit })
}

// pageCache are copied pages, by the lowest bits of their numbers.
type pageCache [64]words

func (c *pageCache) forget() {
	for i := range c {
		c[i].forget()
	}
}

// word returns a word of a page, which stays as it was when it was copied.
func (c *pageCache) word(at uint64) (uint64, bool) {
	page := at &^ (pageSize - 1)
	w := &c[page/pageSize%uint64(len(c))]
	if w.from != page {
		if w.data == nil {
			w.data = make([]byte, pageSize)
		}
		if w.from = page; peek.Copy(w.data, page) != len(w.data) {
			w.from = 0
			return 0, false
		}
	}
	return w.at(at), true
}
