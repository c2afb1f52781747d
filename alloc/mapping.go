package alloc

import "github.com/cgoheap/cgoheap/internal/account"

// Mapping is a range of addresses that a recorded call mapped, or the part of it that no recorded call has unmapped or mapped over
// since.
type Mapping struct {
	account.Mapped
	Length uint64 // bytes that the call asked for; of a segment of shmat, the bytes of it that are attached

	Shared  bool // by MAP_SHARED, or a segment of shmat
	File    bool // of a file, not anonymous
	Unknown bool // whether it is shared or a file: mremap moved memory of no recorded call, or it has huge pages
}

// Fits reports whether a range of the kernel's list can be this one, by the list's letter for sharing and whether it has an
// inode, as files and shared memory have. If it cannot be, calls that were not recorded have unmapped the range and mapped
// another one at its addresses.
func (m *Mapping) Fits(shared, inode bool) bool {
	return m.Unknown || m.Shared == shared && (m.File || m.Shared) == inode
}

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
