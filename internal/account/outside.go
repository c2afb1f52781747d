package account

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// Outside is what is resident outside malloc's heap, by what it is of, if Sources.Outside asks for it. What recorded calls have mapped is
// in Survey.Mapped.
type Outside struct {
	Written []int64          // of each of Sources.Segments: pages that were written to
	Files   map[string]*File // other mapped files, by the name in the kernel's list
	Stacks  int64            // of threads
	Ended   int64            // of threads that have ended

	segments []segmentPages
	last     Range // the area that was counted last
}

// File is what is resident of the mappings of one file.
type File struct {
	Pages    int64 // the file's own
	Copies   int64 // pages that the process has of its own, because it wrote to a private mapping of the file
	Shared   int64 // of a file that is shared memory, mapped by no recorded call
	Mappings int   // those that have resident pages
}

// segmentPages are the pages of a segment.
type segmentPages struct {
	Range
	which int
}

// newOutside returns nil if nobody asks.
func (s *Sources) newOutside() *Outside {
	if !s.Outside {
		return nil
	}
	o := &Outside{Written: make([]int64, len(s.Segments)), Files: make(map[string]*File)}
	for i, r := range wholePages(s.Segments) {
		o.segments = append(o.segments, segmentPages{r, i})
	}
	slices.SortStableFunc(o.segments, func(a, b segmentPages) int { return cmp.Compare(a.Start, b.Start) })
	return o
}

// add adds pages of an area, from an address on, with their holder.
func (o *Outside) add(a *area, start uint64, h holder, n nature, s state, bytes uint64) {
	if o == nil || s == swapped || bytes == 0 {
		return
	}
	switch {
	case h == segment && n != file && n != fileCode && n != kernel && n != sharedMemory:
		o.addWritten(start, bytes)
	case h != nobody && h != programMap:
	case n == file, n == fileWritten:
		f := o.file(a)
		if n == file {
			f.Pages += int64(bytes)
		} else {
			f.Copies += int64(bytes)
		}
	case n == sharedMemory && h == nobody:
		o.file(a).Shared += int64(bytes)
	}
}

func (o *Outside) addWritten(start, bytes uint64) {
	i, found := slices.BinarySearchFunc(o.segments, start, func(s segmentPages, start uint64) int { return cmp.Compare(s.Start, start) })
	if !found {
		i--
	}
	if i >= 0 {
		o.Written[o.segments[i].which] += int64(bytes)
	}
}

// file returns the figures of the file of an area.
func (o *Outside) file(a *area) *File {
	f := o.Files[string(a.name)]
	if f == nil {
		f = new(File)
		o.Files[string(a.name)] = f
	}
	if a.Range != o.last {
		f.Mappings, o.last = f.Mappings+1, a.Range
	}
	return f
}

// Outside returns what was found. It comes after Settle, and fails if not all pages could be looked up.
func (v *Survey) Outside() (*Outside, error) {
	if err := cmp.Or(v.maps, v.whole); err != nil {
		return nil, err
	}
	v.outside.Stacks = v.of(threadStack).Resident + v.of(nobody, mainStack).Resident
	v.outside.Ended = v.of(endedStack).Resident
	return v.outside, nil
}

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
