package flight

import (
	"sync/atomic"
	"time"
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

// DropChanged leaves out of a copy what has another number in later, a copy that was begun when this one was there: it was overwritten, and
// perhaps while it was copied.
func (n *Notes) DropChanged(later *Notes) {
	dropChanged(n.seconds.words, later.seconds.words, slotWords)
	dropChanged(n.minutes.words, later.minutes.words, slotWords)
	for i := range n.heaps {
		dropChanged(n.heaps[i].words, later.heaps[i].words, heapWords)
	}
}

// dropChanged compares the numbers, of which there is one in so many words. Memory of a copy that is zero may not be writable.
func dropChanged(words, later []uint64, each int) {
	for at := 0; at < len(words); at += each {
		if words[at] != 0 && words[at] != later[at] {
			words[at] = 0
		}
	}
}

// Seconds returns the records of the last hour, the oldest first.
func (n *Notes) Seconds() []Record { return n.seconds.records() }

// Minutes returns, of each of the minutes of the last three days that is over, the record with the most resident memory.
func (n *Notes) Minutes() []Record { return n.minutes.records() }

// ring keeps the last records in slots of words, used in turn.
//
//	number │ time │ which values are old │ a word for each field
//
// number counts the records from 1. It is 0 while the other words change. Slots beyond the last number are not read: in a file that would make
// room for them where there is none yet.
type ring struct {
	last  *uint64 // number
	words []uint64
}

const slotWords = slotHead + int(Fields)

// slotHead is how many words of a slot come before its fields.
const slotHead = 3

func (r ring) slots() int { return len(r.words) / slotWords }

func (r ring) slot(number uint64) []uint64 {
	at := int((number-1)%uint64(r.slots())) * slotWords
	return r.words[at : at+slotWords]
}

// put stores a record under its number.
func (r ring) put(number uint64, record *Record) {
	slot := r.slot(number)
	atomic.StoreUint64(&slot[0], 0)
	atomic.StoreUint64(&slot[1], uint64(record.Time.UnixNano()))
	atomic.StoreUint64(&slot[2], record.Old)
	for f, value := range record.Values {
		atomic.StoreUint64(&slot[slotHead+f], uint64(value))
	}
	atomic.StoreUint64(&slot[0], number)
	atomic.StoreUint64(r.last, number)
}

// records returns what there is, the oldest first. A slot that is being overwritten, or was when the process ended, is left out.
func (r ring) records() (list []Record) {
	last := atomic.LoadUint64(r.last)
	number := last - min(last, uint64(r.slots())) + 1
	for ; number <= last && number != 0; number++ {
		slot := r.slot(number)
		if atomic.LoadUint64(&slot[0]) != number {
			continue
		}
		record := Record{Time: time.Unix(0, int64(atomic.LoadUint64(&slot[1]))), Old: atomic.LoadUint64(&slot[2])}
		for f := range record.Values {
			record.Values[f] = int64(atomic.LoadUint64(&slot[slotHead+f]))
		}
		if atomic.LoadUint64(&slot[0]) == number {
			list = append(list, record)
		}
	}
	return list
}

// Record has the figures of one moment.
type Record struct {
	Time   time.Time
	Values [Fields]int64 // by Field; Unknown if not known
	Old    uint64        // a bit for each Field whose value was read before Time
}

// IsOld reports whether a field's value was read before the record's time, up to a minute.
func (r *Record) IsOld(f Field) bool { return r.Old>>f&1 != 0 }

// Has reports whether all of some fields are known.
func (r *Record) Has(fields ...Field) bool {
	for _, f := range fields {
		if r.Values[f] < 0 {
			return false
		}
	}
	return true
}

// Go returns the bytes that Go's runtime counts as its own. Unknown figures count as 0.
func (r *Record) Go() (sum int64) {
	for _, f := range [...]Field{GoHeap, GoFree, GoStacks, GoOther} {
		sum += max(0, r.Values[f])
	}
	return sum
}
