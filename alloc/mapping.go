package alloc

import "github.com/cgoheap/cgoheap/internal/account"

// Mapping is a range of addresses that a recorded call mapped.
type Mapping = account.Mapping

// both returns the parts of ranges that two lists have in common, made by the same calls. The lists are in the order of addresses.
func both(before, after []Mapping) (list []Mapping) {
	for len(before) > 0 && len(after) > 0 {
		a, b := &before[0], &after[0]
		if start, limit := max(a.Start, b.Start), min(a.Limit, b.Limit); start < limit && a.Call == b.Call {
			common := *b
			common.Start, common.Limit = start, limit
			list = append(list, common)
		}
		if a.Limit <= b.Limit {
			before = before[1:]
		} else {
			after = after[1:]
		}
	}
	return list
}
