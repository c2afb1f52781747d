package flight

import (
	"sync/atomic"
	"unsafe"
)

// Notes are what the recorder has noted, in memory that it was given. One writer at a time; readers may be many, and in another
// process.
type Notes struct {
	seconds, minutes ring
	heaps            [2]heapNote
}

// What there is room for. The memory is touched as it fills.
const (
	secondSlots = 3600     // an hour
	minuteSlots = 3 * 1440 // three days
	heapWords   = 32 << 10 // of each note of Go's heap

	headWords = 8
	allWords  = headWords + (secondSlots+minuteSlots)*slotWords + 2*heapWords
)

// Size is how many bytes notes need.
const Size = allWords * 8

// layoutWord is the first word: it changes with the layout of the notes.
const layoutWord = 0x0003_0000_0000_0000 | uint64(Fields)<<32 | secondSlots<<16 | minuteSlots

// New begins notes in memory of Size bytes that are zero and begin at a multiple of 8.
func New(memory []byte) *Notes {
	words := wordsOf(memory)
	atomic.StoreUint64(&words[0], layoutWord)
	return notesIn(words)
}

// Open returns the notes that somebody has begun in memory; nil if there are none, or with another layout.
func Open(memory []byte) *Notes {
	if len(memory) != Size || uintptr(unsafe.Pointer(&memory[0]))%8 != 0 {
		return nil
	}
	words := wordsOf(memory)
	if atomic.LoadUint64(&words[0]) != layoutWord {
		return nil
	}
	return notesIn(words)
}

func wordsOf(memory []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), allWords)
}

func notesIn(words []uint64) *Notes {
	take := func(n int) []uint64 {
		taken := words[:n:n]
		words = words[n:]
		return taken
	}
	head := take(headWords)
	n := &Notes{seconds: ring{&head[1], take(secondSlots * slotWords)}, minutes: ring{&head[2], take(minuteSlots * slotWords)}}
	for i := range n.heaps {
		n.heaps[i] = heapNote{take(heapWords)}
	}
	return n
}

// Seconds returns the records of the last hour, the oldest first.
func (n *Notes) Seconds() []Record { return n.seconds.records() }

// Minutes returns, of each of the minutes of the last three days that is over, the record with the most resident memory.
func (n *Notes) Minutes() []Record { return n.minutes.records() }
