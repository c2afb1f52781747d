package holders

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/guilty"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// mostGoroutines bounds the list of all goroutines, 256 bytes for each. The stack of each that waits is walked by Go's runtime.
const mostGoroutines = 64 << 10

// Goroutines returns where the goroutines of this process are, as Go's profile of goroutines has them; nothing if there are too many.
func Goroutines(memory *scratch.Memory) []Waiting {
	n := runtime.NumGoroutine()
	if n > mostGoroutines {
		return nil
	}
	records := scratch.Slice[runtime.StackRecord](memory, n+n/8+16)
	defer scratch.ReleaseSlice(memory, records)
	if n, ok := runtime.GoroutineProfile(records); ok {
		return waitingIn(records[:n])
	}
	return nil
}

func waitingIn(records []runtime.StackRecord) []Waiting {
	type group struct {
		stack [len(runtime.StackRecord{}.Stack0)]uintptr
	}
	counts := make(map[group]int)
	for i := range records {
		counts[group{records[i].Stack0}]++
	}
	places := make(map[Waiting]int)
	for g, count := range counts {
		stack := g.stack[:]
		if end := slices.Index(stack, 0); end >= 0 {
			if w, known := placeOf(stack[:end]); known {
				places[w] += count
			}
		}
	}
	list := make([]Waiting, 0, len(places))
	for w, count := range places {
		w.Number = count
		list = append(list, w)
	}
	return list
}

// placeOf returns in which function a goroutine began, and where it is in the program's own code.
func placeOf(stack []uintptr) (w Waiting, known bool) {
	var all []runtime.Frame
	for frames := runtime.CallersFrames(stack); ; {
		f, more := frames.Next()
		if f.Function == "runtime.goexit" || f.PC == 0 {
			break
		}
		if all = append(all, f); !more {
			return w, false // it is deeper than the list is long
		}
	}
	if len(all) == 0 {
		return w, false
	}
	who := guilty.Of(all, func(f *runtime.Frame) guilty.Line { return guilty.Line{Function: f.Function, File: f.File} })
	at := all[max(0, who.Caller)]
	first := all[len(all)-1]
	w = Waiting{Entry: uint64(first.Entry), Place: at.Function, Ends: who.Caller >= 0 && runsEnds(first.Function)}
	if at.File != "" {
		w.Place += fmt.Sprintf(" (%s:%d)", filepath.Base(at.File), at.Line)
	}
	return w, true
}

// runsEnds knows the functions of the runtime's in which goroutines begin that run finalizers and cleanups.
func runsEnds(entry string) bool {
	return entry == "runtime.runFinalizers" || entry == "runtime.runCleanups"
}

// begins reports whether a goroutine whose first function is at an address is in such a place. Of a go statement with arguments, the first
// function is one that the compiler made, which Go's profile leaves out: it calls the one that is there.
func (w *Waiting) begins(entry uint64) bool {
	return w.Entry == entry || slices.Contains(calledBy(entry), w.Entry)
}

// mostCode bounds the code of a function that the compiler made for a go statement.
const mostCode = 512

// calledBy returns the functions that one which the compiler made for a go statement may call.
func calledBy(entry uint64) (targets []uint64) {
	f := runtime.FuncForPC(uintptr(entry))
	if f == nil || !strings.Contains(f.Name(), ".gowrap") {
		return nil
	}
	for i := range uint64(mostCode) {
		if runtime.FuncForPC(uintptr(entry+i+instruction-1)) != f {
			break
		}
		if target := callAt(codeAt(entry+i), entry+i); target != 0 {
			if to := runtime.FuncForPC(uintptr(target)); to != nil && uint64(to.Entry()) == target && !strings.HasPrefix(to.Name(), "runtime.") {
				targets = append(targets, target)
			}
		}
	}
	return targets
}

// instruction is how many bytes a call has at most.
const instruction = 8

// codeAt returns code of this program's.
func codeAt(address uint64) (code [instruction]byte) {
	return **(**[instruction]byte)(unsafe.Pointer(&address))
}

// callAt returns what the instruction at an address calls, if it is a direct call: on amd64 E8 and a distance from its end, on arm64 BL.
func callAt(code [instruction]byte, at uint64) uint64 {
	word := binary.LittleEndian.Uint32(code[:])
	switch {
	case runtime.GOARCH == "amd64" && code[0] == 0xe8:
		return at + 5 + uint64(int64(int32(binary.LittleEndian.Uint32(code[1:]))))
	case runtime.GOARCH == "arm64" && at%4 == 0 && word>>26 == 0x25:
		return at + uint64(int64(int32(word<<6)>>6)*4)
	}
	return 0
}
