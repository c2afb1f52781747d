//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"encoding/binary"
	"os"
	"runtime"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/peek"
)

// libc maps the stacks of threads by calls that no hook sees. But it keeps a list of them, and each thread's control block, at the
// end of its stack, has the stack's bounds (cgo/bounds.c finds these words):
//
//	glibc  head ◄─► list in a control block ◄─► list in a control block ◄─► head       tid behind each list; 0 after the thread's end
//	       three such circles: stacks in use, stacks that the program provided, stacks of ended threads that are kept. Their
//	       heads lie side by side in the loader's data.
//	musl   control block ◄─► control block ◄─► the first                               running threads only, without a head
//
// The list is not documented, and nothing is taken on trust. It begins at the calling thread, whose own tid or address must stand
// where it belongs. Each link must lead to one that leads back. A stack must begin at a page, and its thread's control
// block must lie in it. The kernel copies the words, so nothing can fault, and no lock is taken: if a thread begins or ends
// meanwhile, a link does not lead back, and the reading begins again. musl links a thread only after that has begun to run: on a
// busy machine the calling thread may not be linked yet, for as long as the thread that made it waits for a processor. Then there
// is a pause before the next try.

// threadList is how libc links its threads.
type threadList struct {
	budget  *int   // how many nodes may still be read
	words   uint64 // where the bounds are, from the control block's start
	end     bool
	node    uint64 // the links, from the control block's start
	forward uint64 // the link to the next node, and to the one before, from the node's start
	back    uint64
	tid     uint64 // from the control block's start
	main    uint64 // the control block of the main thread; 0 until it is found
}

const (
	listTries     = 16
	longestWait   = 5 * time.Millisecond
	mostNodes     = 1 << 16 // bounds the time, to about half a second
	controlWords  = 320     // of a control block are searched for the links
	headsDistance = 256     // bytes between the heads of glibc's lists
)

// libcStacks returns the stacks that libc's lists have. Empty if the lists cannot be read.
func libcStacks() (stacks []account.Stack) {
	onMadeThread(func() { stacks, _ = triedLibcStacks() })
	return stacks
}

// triedLibcStacks tries several times. It also returns the control block of the main thread, whose stack libc has not mapped; 0 if it
// was not found.
func triedLibcStacks() (stacks []account.Stack, main uint64) {
	budget := mostNodes
	if !repeat(func() (o outcome) { stacks, main, o = readLibcStacks(&budget); return o }) {
		return nil, 0
	}
	return stacks, main
}

// outcome is what became of a try to read the lists.
type outcome int

const (
	listsRead outcome = iota
	changedMeanwhile
	notYetLinked // the calling thread
	unreadable
)

// repeat tries until it succeeds, or cannot. While the calling thread is not linked, the pauses add up to 60 ms.
func repeat(try func() outcome) bool {
	for i := range listTries {
		switch try() {
		case listsRead:
			return true
		case unreadable:
			return false
		case notYetLinked:
			if i < listTries-1 {
				time.Sleep(min(time.Duration(i)*time.Millisecond, longestWait))
			}
		}
	}
	return false
}

// onMadeThread runs f on a thread that libc made: the main thread is not in glibc's list of those. A panic of f is the caller's, wherever
// it happens.
func onMadeThread(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if unix.Gettid() != os.Getpid() {
		f()
		return
	}
	background.Apart("reading libc's threads", func() {
		runtime.LockOSThread() // the main thread is taken
		defer runtime.UnlockOSThread()
		f()
	})
}

func readLibcStacks(budget *int) (stacks []account.Stack, main uint64, o outcome) {
	here, known := cgo.BoundsWordsHere()
	if !known {
		return nil, 0, unreadable
	}
	l := threadList{budget: budget, words: here.Words - here.Thread, end: here.End}
	if !l.findGlibc(here.Thread) && !l.findMusl(here.Thread) {
		return nil, 0, l.unlinked(here.Thread)
	}
	if l.words < l.tid {
		return nil, 0, unreadable
	}
	stacks, head, ok := l.follow(here.Thread+l.node, nil)
	if head != 0 && ok {
		stacks, ok = l.others(head, stacks)
	}
	switch {
	case ok:
		return stacks, l.main, listsRead
	case *budget <= 0:
		return nil, 0, unreadable
	}
	return nil, 0, changedMeanwhile
}

// unlinked says why the calling thread was not found in a list. musl's begins without links.
func (l *threadList) unlinked(thread uint64) outcome {
	own := wordsUpTo(thread, 4)
	switch {
	case len(own) < 4:
		return unreadable
	case l.end && own[0] == thread && own[2] == 0:
		return notYetLinked
	}
	return changedMeanwhile
}

// others appends the stacks of the lists whose heads lie beside a head.
func (l *threadList) others(head uint64, stacks []account.Stack) ([]account.Stack, bool) {
	for at := head - headsDistance; at <= head+headsDistance; at += 8 {
		if at == head || wordAt(at) == at || !l.linked(at) {
			continue
		}
		var ok bool
		if stacks, _, ok = l.follow(at, stacks); !ok {
			return nil, false
		}
	}
	return stacks, true
}

// findGlibc looks for two links, behind which the thread's number is. It reads no further than to the bounds, which are behind these:
// where the control block ends, the stack does, and what lies there may be memory that somebody else must fill in.
func (l *threadList) findGlibc(thread uint64) bool {
	tid := uint64(unix.Gettid())
	own := wordsUpTo(thread, int(min(8*controlWords, l.words+16)/8))
	for i := 0; i+2 < len(own); i++ {
		if own[i+2]&(1<<32-1) != tid {
			continue
		}
		l.node, l.forward, l.back = 8*uint64(i), 0, 8
		if l.tid = l.node + 16; l.linked(thread + l.node) {
			return true
		}
	}
	return false
}

// findMusl looks for the links behind the address of the control block itself.
func (l *threadList) findMusl(thread uint64) bool {
	tid := uint32(unix.Gettid())
	own := wordsUpTo(thread, 32)
	if len(own) < 32 || own[0] != thread {
		return false
	}
	l.node = 0
	for _, l.back = range []uint64{8, 16} {
		if l.forward = l.back + 8; !l.linked(thread) {
			continue
		}
		for l.tid = l.forward + 8; l.tid < 8*32; l.tid += 4 {
			if uint32(own[l.tid/8]>>(l.tid%8*8)) == tid {
				return true
			}
		}
	}
	return false
}

// linked reports whether both links of a node lead to one that leads back.
func (l *threadList) linked(node uint64) bool {
	next, prev := wordAt(node+l.forward), wordAt(node+l.back)
	return next != 0 && prev != 0 && wordAt(next+l.back) == node && wordAt(prev+l.forward) == node
}

// control is what was copied of a control block, from the node on.
type control struct {
	*threadList
	copied []uint64
}

func (l *threadList) control(node uint64) control {
	return control{l, wordsUpTo(node, int(l.words+16-l.node)/8)}
}

// at returns the word at an offset from the control block's start; 0 if it could not be read.
func (c control) at(offset uint64) uint64 {
	if i := (offset - c.node) / 8; i < uint64(len(c.copied)) {
		return c.copied[i]
	}
	return 0
}

// number returns the thread's tid; 0 if it has ended.
func (c control) number() int {
	return int(max(0, int32(c.at(c.tid)>>(c.tid%8*8))))
}

// follow appends the stacks of a circle. It returns the node that is of no thread, if there is one, and false if the circle has
// changed meanwhile.
func (l *threadList) follow(start uint64, stacks []account.Stack) (all []account.Stack, head uint64, ok bool) {
	node, c := start, l.control(start)
	for ; *l.budget > 0; *l.budget-- {
		if r, ok := c.stack(node - l.node); ok {
			stacks = append(stacks, account.Stack{Range: r, Thread: c.number(), Control: node - l.node})
		} else if c.number() == os.Getpid() {
			l.main = node - l.node
		} else {
			head = node
		}
		next := c.at(l.node + l.forward)
		if c = l.control(next); c.at(l.node+l.back) != node {
			return nil, 0, false
		}
		if node = next; node == start {
			return stacks, head, true
		}
	}
	return nil, 0, false
}

// stack returns the stack of a thread, with its guard, its control block and its thread-local variables. musl also has what it
// mapped for all of that: the lowest address, and the size, before the bounds.
func (c control) stack(thread uint64) (account.Range, bool) {
	first, size := c.at(c.words), c.at(c.words+8)
	if !c.end {
		return around(thread, first, size)
	}
	r, ok := around(thread, c.at(c.words-16), c.at(c.words-8))
	return r, ok && r.Start <= first-size && first <= r.Limit
}

var pageBytes = uint64(os.Getpagesize())

// around returns the pages from start on; false unless a thread's control block lies in them.
func around(thread, start, size uint64) (account.Range, bool) {
	r := account.Range{Start: start, Limit: start + size}
	return r, start != 0 && (start|size)%pageBytes == 0 && start <= thread && thread < r.Limit
}

// wordAt copies a word; 0 if it cannot be read.
func wordAt(at uint64) uint64 {
	if w := wordsUpTo(at, 1); len(w) == 1 {
		return w[0]
	}
	return 0
}

// wordsUpTo copies as many of n words as can be read.
func wordsUpTo(at uint64, n int) []uint64 {
	bytes := make([]byte, 8*n)
	words := make([]uint64, peek.Copy(bytes, at)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(bytes[8*i:])
	}
	return words
}
