//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "segments.h"
import "C"

// Segment is a loadable segment of a file, as the loader lists it.
type Segment struct {
	Path                 string // of the file, or "[vdso]"
	Start, Limit, Offset uint64 // runtime addresses, and Start's offset in the file
	End                  uint64 // in memory: from Limit on, the segment is zero at first
	Executable, Writable bool
}

// Segments returns the segments that the loader has loaded, the program's first. Files whose path is too long are left out.
func Segments() []Segment {
	list := make([]C.struct_segment, 64)
	for {
		count := int(C.segments_list(&list[0], C.size_t(len(list))))
		if count <= len(list) {
			return segments(list[:count])
		}
		list = make([]C.struct_segment, count+count/8)
	}
}

func segments(list []C.struct_segment) []Segment {
	var all []Segment
	for i := range list {
		s := &list[i]
		if path := C.GoString(&s.path[0]); path != "" {
			all = append(all, Segment{path, uint64(s.start), uint64(s.limit), uint64(s.offset), uint64(s.end), bool(s.executable), bool(s.writable)})
		}
	}
	return all
}
