package flight

import "time"

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
