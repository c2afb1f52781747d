package account

import (
	"bytes"
	"path/filepath"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// Attached is memory of a System V segment, as a part of what one call of shmat attached.
type Attached struct {
	Range
	Base    uint64 // where that begins
	Segment uint64 // its id: the kernel lists it as the inode
}

// AttachedSegments returns what is attached now, in the order of addresses. Of each page the kernel lists the place in its segment, so
// what is left of an attachment can be found wherever a part of it was unmapped.
func AttachedSegments(proc string) (list []Attached, err error) {
	for a, err := range areas(filepath.Join(descriptor.Self(proc), "maps")) {
		if err != nil {
			return nil, err
		}
		if a.shared && bytes.HasPrefix(a.name, []byte("/SYSV")) && a.offset <= a.Start {
			list = append(list, Attached{a.Range, a.Start - a.offset, a.inode})
		}
	}
	return list, nil
}
