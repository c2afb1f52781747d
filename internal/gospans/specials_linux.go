package gospans

import (
	"runtime"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/peek"
)

// Special says how the records look that a span has of its objects: a pointer to the next, the object's offset in the span, the kind (8
// bits), and from the offset 24 on what the kind has. Source: runtime/mheap.go. The zero Special is an unknown one.
type Special struct {
	Finalizer uint32 // the kind of a finalizer: its function follows
	Cleanup   uint32 // the kind of a cleanup (runtime.AddCleanup); 0: unknown
	Function  uint32 // the offset of a cleanup's function
}

// trialObject is large, so that it has a span of its own.
type trialObject [largeBytes / 8]*byte

// A record of a trial: what follows the kind.
type special struct {
	kind uint32
	kept [3]uint64
}

const (
	keptAt        = 24
	spanWithin    = 256 // bytes that Span.Specials is looked for in
	mostSpecials  = 8   // of an object
	trialCleanups = 4
)

// specialsAt returns the records of a large object, if a word of its span leads to some.
func (l *Layout) specialsAt(offset uint32, object uint64) (list []special) {
	at := word(l.spanOf(object) + uint64(offset))
	for range mostSpecials {
		if at == 0 || at%8 != 0 {
			break
		}
		b := make([]byte, keptAt+8)
		if peek.Copy(b, at) != len(b) || wide(b[8:]) != 0 || b[16] == 0 {
			return nil
		}
		s := special{kind: uint32(b[16])}
		for i := range s.kept {
			s.kept[i] = word(at + keptAt + 8*uint64(i))
		}
		list = append(list, s)
		at = wide(b)
	}
	return list
}

func ended(*trialObject) {}

func cleaned(int) {}

// closureOf returns the address of what a function's value points to.
func closureOf[F any](f *F) uint64 { return uint64(*(*uintptr)(unsafe.Pointer(f))) }

// findSpecials finds where a span has its records by a finalizer that was just set, and what a cleanup's look like by some that were just
// added. What is not found stays unknown: then it is not known what only a finalizer or a cleanup keeps.
func (l *Layout) findSpecials() {
	object, function := new(trialObject), ended
	runtime.SetFinalizer(object, function)
	defer runtime.SetFinalizer(object, nil)
	at := uint64(uintptr(unsafe.Pointer(object)))
	for offset := l.Span.Size + 8; offset < spanWithin && l.Span.Specials == 0; offset += 8 {
		for _, s := range l.specialsAt(offset, at) {
			if s.kept[0] == closureOf(&function) {
				l.Span.Specials, l.Special.Finalizer = offset, s.kind
			}
		}
	}
	if l.Span.Specials != 0 {
		l.findCleanups()
	}
}

// findCleanups looks for a kind that objects have to which a cleanup was added, each, and others have not.
func (l *Layout) findCleanups() {
	function := cleaned
	count, others := make(map[uint32]int), make(map[uint32]bool)
	for range trialCleanups {
		object, other := new(trialObject), new(trialObject)
		added := runtime.AddCleanup(object, function, 0)
		for _, s := range l.specialsAt(l.Span.Specials, uint64(uintptr(unsafe.Pointer(object)))) {
			count[s.kind]++
			if s.kept[1] == closureOf(&function) {
				l.Special.Function = keptAt + 8
			}
		}
		for _, s := range l.specialsAt(l.Span.Specials, uint64(uintptr(unsafe.Pointer(other)))) {
			others[s.kind] = true
		}
		added.Stop()
		runtime.KeepAlive(object)
		runtime.KeepAlive(other)
	}
	for kind, n := range count {
		if n == trialCleanups && !others[kind] && kind != l.Special.Finalizer {
			l.Special.Cleanup = kind
		}
	}
	if l.Special.Function == 0 {
		l.Special.Function = keptAt // a function that calls it, before Go 1.26
	}
}
