package flight

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"
)

// ring keeps the last records in slots of words, used in turn.
//
//	number │ time │ a word for each field
//
// number counts the records from 1. It is 0 while the other words change, and where there is no record.
type ring struct {
	words []uint64
}

const slotWords = 2 + int(Fields)

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
	for f, value := range record.Values {
		atomic.StoreUint64(&slot[2+f], uint64(value))
	}
	atomic.StoreUint64(&slot[0], number)
}

// records returns what there is, the oldest first. Slots that were overwritten by others are left out, if that can be seen.
func (r ring) records() (list []Record) {
	type numbered struct {
		number uint64
		Record
	}
	var found []numbered
	for i := range r.slots() {
		slot := r.words[i*slotWords:][:slotWords]
		n := numbered{number: atomic.LoadUint64(&slot[0])}
		if n.number == 0 || int((n.number-1)%uint64(r.slots())) != i {
			continue
		}
		n.Time = time.Unix(0, int64(atomic.LoadUint64(&slot[1])))
		for f := range n.Values {
			n.Values[f] = int64(atomic.LoadUint64(&slot[2+f]))
		}
		if n.number == atomic.LoadUint64(&slot[0]) {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	for i := range found {
		list = append(list, found[i].Record)
	}
	return list
}
