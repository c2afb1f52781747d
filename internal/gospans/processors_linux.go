package gospans

import (
	"runtime"
	"slices"
	"time"
	"unsafe"
)

const (
	timerBytes     = 192     // that the fields of a timer lie in
	leastProcessor = 4 << 10 // a p is larger, and not much else that a timer points to
	mostProcessors = 1 << 16
)

// findProcessors finds the list of what the runtime keeps of each processor (p). A timer that was just begun points into one of them,
// and a slice in the runtime's data has as many as there are, that one among them.
func (l *Layout) findProcessors() {
	timer := time.AfterFunc(time.Hour, func() {})
	defer timer.Stop()
	pointed := l.objectsFrom(uint64(uintptr(unsafe.Pointer(timer))))
	number := uint64(runtime.GOMAXPROCS(0))
	search(func(at uint64, piece []byte) bool {
		for i := 0; i+sliceBytes <= len(piece); i += 8 {
			list := sliceIn(piece[i:])
			if list.size != number || !list.plausible(mostProcessors) {
				continue
			}
			if slices.ContainsFunc(list.words(number), func(p uint64) bool {
				return slices.ContainsFunc(pointed, func(o object) bool { return p-o.start < o.size })
			}) {
				l.Processors = at + uint64(i)
				return true
			}
		}
		return false
	})
}

// object is a place for an object, before which the runtime may put a word of its own.
type object struct{ start, size uint64 }

// objectsFrom returns the large objects that words from an address on point into.
func (l *Layout) objectsFrom(at uint64) (objects []object) {
	for i := range uint64(timerBytes / 8) {
		value := word(at + 8*i)
		if value == 0 || l.arena(value) == 0 {
			continue
		}
		if r, ok := l.readSpan(value); ok && r.size >= leastProcessor {
			objects = append(objects, object{value - (value-r.start)%r.size, r.size})
		}
	}
	return objects
}
