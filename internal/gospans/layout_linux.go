package gospans

import (
	"encoding/binary"
	"runtime"
	"sync"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/background"
)

// Layout is where the Go runtime of this process keeps its heap and its goroutines. The zero Layout is an unknown one.
type Layout struct {
	Arenas     uint64 // address of the table of arenas: a pointer for each part of the address space, 0 where Go has none
	Bias       uint64 // added to an address before it is divided by ArenaBytes: the index in the table
	Lists      uint64 // address of two slices of indexes: of the arenas for the heap, and of those for arenas that users make
	Goroutines uint64 // address of the slice of pointers to all g
	Span       Span
	G          G
	Special    Special

	Processors uint64 // address of the slice of pointers to all p, which have the timers; 0: unknown

	// Start and limit of the runtime's lists of variables with pointers: those that have a value from the file on, and others. 0: unknown.
	// In plugins are more.
	Data, BSS [2]uint64
}

// Constants of the runtime, on amd64 and arm64 under Linux: heapArenaBytes, pageSize, and how many entries the table of arenas
// has.
const (
	ArenaBytes = 64 << 20
	PageBytes  = 8 << 10
	Entries    = 1 << 22

	pagesPerArena = ArenaBytes / PageBytes
)

// G has the offsets of the fields of a g: those of sched.sp, atomicstatus, goid, gopc and startpc. stack.lo and stack.hi are
// its first two words.
type G struct{ SP, Status, ID, Created, Start uint32 }

var once struct {
	sync.Mutex
	layout Layout
}

// mostAttempts bounds how often the layout is looked for: a collection or a reused goroutine can spoil an attempt.
const mostAttempts = 5

// Find returns the layout. What was found once is returned from then on. It begins goroutines and allocates some hundred KiB of
// Go's heap when it looks for it, which takes some milliseconds. An error is the reason why the layout is unknown. Then it has Arenas and Bias, if they are known, and
// nothing else.
func Find() (Layout, error) {
	once.Lock()
	defer once.Unlock()
	if once.layout != (Layout{}) {
		return once.layout, nil
	}
	var found Layout
	var err error
	for range mostAttempts {
		if caught := background.Guard("the search for Go's heap", func() { found, err = find() }); caught != nil {
			err = caught
		}
		if err == nil {
			once.layout = found
			return found, nil
		}
	}
	return found, err
}

func find() (l Layout, err error) {
	if l, err = findArenas(); err != nil {
		return Layout{}, err
	}
	arenas := Layout{Arenas: l.Arenas, Bias: l.Bias}
	if err = l.verifySpans(); err != nil {
		return arenas, err
	}
	if err = l.findGoroutines(); err != nil {
		return arenas, err
	}
	l.findSpecials()
	l.findVariables()
	l.findProcessors()
	return l, nil
}

// Variables of each kind that the linker puts together. All are used, so that it keeps them.
var (
	plainValue   = uint64(len("without a pointer, with a value"))
	pointerValue = &plainValue
	pointerNone  *uint64
	plainNone    [2]uint64
)

// variableBounds are that many words in the runtime's moduledata: noptrdata, enoptrdata, data, edata, bss, ebss, noptrbss, enoptrbss.
const variableBounds = 8

// findVariables searches the runtime's data for the bounds of its variables: a variable of each kind lies between two of them.
func (l *Layout) findVariables() {
	witness := [variableBounds / 2]uint64{
		uint64(uintptr(unsafe.Pointer(&plainValue))), uint64(uintptr(unsafe.Pointer(&pointerValue))),
		uint64(uintptr(unsafe.Pointer(&pointerNone))), uint64(uintptr(unsafe.Pointer(&plainNone))),
	}
	defer runtime.KeepAlive(pointerNone)
	search(func(_ uint64, piece []byte) bool {
		for i := 0; i+8*variableBounds <= len(piece); i += 8 {
			var bounds [variableBounds]uint64
			for k := range bounds {
				bounds[k] = binary.NativeEndian.Uint64(piece[i+8*k:])
			}
			if divides(bounds, witness) {
				l.Data, l.BSS = [2]uint64{bounds[2], bounds[3]}, [2]uint64{bounds[4], bounds[5]}
				return true
			}
		}
		return false
	})
}

// divides reports whether each variable lies between two bounds, and no other does. The linker may put the four in any order.
func divides(bounds [variableBounds]uint64, variables [variableBounds / 2]uint64) bool {
	for i, at := range variables {
		for k := range variables {
			if inside := bounds[2*k] <= at && at < bounds[2*k+1]; inside != (i == k) {
				return false
			}
		}
	}
	return true
}
