package suspects

import (
	"math"
	"slices"
	"time"
)

// Merge makes one of stacks with the same key that were followed for the same time, and ranks them. They are of one place in the
// source whose code is at several addresses: a compiler that works at run time has replaced it. Without a key, a stack stays alone.
func Merge(list []Verdict, key func(*Verdict) string) []Verdict {
	type place struct {
		key         string
		since, time time.Time
	}
	var merged []Verdict
	at := make(map[place]int)
	for i := range list {
		v := &list[i]
		name := place{key(v), v.Since, v.Time}
		first, known := at[name]
		if name.key == "" || !known {
			at[name] = len(merged)
			merged = append(merged, *v)
			continue
		}
		merged[first].plus(v)
	}
	rank(merged)
	return merged
}

// plus adds another stack. Their blocks were sampled independently, so the squares of the errors add up.
func (v *Verdict) plus(o *Verdict) {
	v.Finding = v.findingWith(o)
	if v.Thing != nil {
		both := *v.Thing
		both.Bytes, both.Count = both.Bytes+o.Thing.Bytes, both.Count+o.Thing.Count
		v.Thing = &both
	}
	v.Series = slices.Clone(v.Series)
	for i := range v.Series {
		v.Series[i].Bytes += o.Series[i].Bytes
		v.variance[i], v.stepped[i] = v.variance[i]+o.variance[i], v.stepped[i]+o.stepped[i]
	}
	v.single = max(v.single, o.single)
	v.Age = time.Duration(mean(float64(v.Age), v.Bytes, float64(o.Age), o.Bytes))
	v.Freed, v.lasted = mean(v.Freed, v.lasted, o.Freed, o.lasted), v.lasted+o.lasted
	v.Bytes, v.BytesError, v.Blocks = v.Bytes+o.Bytes, math.Hypot(v.BytesError, o.BytesError), v.Blocks+o.Blocks
	v.Growth, v.GrowthError = v.Growth+o.Growth, math.Hypot(v.GrowthError, o.GrowthError)
	v.shape()
	v.follow()
	v.Class = v.class()
}

// findingWith returns what was found of both, or of the one of which something is known.
func (v *Verdict) findingWith(o *Verdict) *Finding {
	a, b := v.Finding, o.Finding
	switch {
	case b == nil:
		return a
	case a == nil:
		return b
	}
	both := *a
	both.Freed = a.Freed && b.Freed
	if o.Bytes*(1-b.Unreachable-b.Open) > v.Bytes*(1-a.Unreachable-a.Open) {
		both.Holder = b.Holder
	}
	both.Unread = min(a.Unread, b.Unread)
	if b.When.Before(a.When) {
		both.When = b.When
	}
	both.Unreachable = mean(a.counting(both.Freed), v.Bytes, b.counting(both.Freed), o.Bytes)
	if o.Bytes*b.Open > v.Bytes*a.Open {
		both.OpenIn = b.OpenIn
	}
	both.Open = mean(a.Open, v.Bytes, b.Open, o.Bytes)
	both.Error, both.OpenError = 0, 0
	if all := v.Bytes + o.Bytes; all > 0 {
		both.Error = math.Hypot(a.Error*v.Bytes, b.Error*o.Bytes) / all
		both.OpenError = math.Hypot(a.OpenError*v.Bytes, b.OpenError*o.Bytes) / all
	}
	return &both
}

// counting returns the share of the blocks to which nothing was found that points, none if it is known that pointers to them are hidden:
// what is known of one stack says nothing of another, unless all of them are so.
func (f *Finding) counting(freed bool) float64 {
	if f.Freed && !freed {
		return 0
	}
	return f.Unreachable
}

// mean returns the mean of two values with weights.
func mean(a, weight, b, other float64) float64 {
	if weight+other == 0 {
		return 0
	}
	return (a*weight + b*other) / (weight + other)
}
