package flight

import "time"

// The recorder may take a thousandth of one processor. Most figures cost some microseconds and are read every second. The
// others cost what the process's memory or the machine makes them cost; so each of them is paced: after it was read, it is left
// alone for as many times that long as its share of a processor allows, and the last values stand in the meantime.

// share is how many times as long as reading a paced source took it is left alone. There are four, and Go's heap.
const share = 8000

// The pause is bounded, because what took long may have waited, as everything does where memory is short: then figures matter most.
const (
	longestPause     = time.Minute
	longestHeapPause = 10 * time.Minute
)

// paced is a source that is read as often as its cost allows.
type paced struct {
	read func(values *[Fields]int64) // sets its own fields
	due  time.Time
	last [Fields]int64 // what it set; Unknown for the fields of others
}

func newPaced(read func(*[Fields]int64)) *paced {
	p := &paced{read: read}
	p.last = unknown
	return p
}

// fill sets the source's fields.
func (p *paced) fill(now time.Time, record *Record) {
	old := now.Before(p.due)
	if !old {
		p.last = unknown
		begin := time.Now()
		p.read(&p.last)
		p.due = now.Add(min(share*time.Since(begin), longestPause))
	}
	for f, value := range p.last {
		if value != Unknown {
			record.Values[f] = value
			if old {
				record.Old |= 1 << f
			}
		}
	}
}

var unknown = func() (all [Fields]int64) {
	for f := range all {
		all[f] = Unknown
	}
	return all
}()
