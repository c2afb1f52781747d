// Command witness prints what its own runtime knows about its code: for every stride-th address of its Go code a line with
// the address, then a line for each function there, innermost first: name, file, line, start line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"sort"
	"strings"
	_ "unsafe" // for go:linkname
)

const stride = 11

//go:linkname expandFinalInlineFrame runtime/pprof.runtime_expandFinalInlineFrame
func expandFinalInlineFrame(stack []uintptr) []uintptr

//go:linkname frameStartLine runtime/pprof.runtime_FrameStartLine
func frameStartLine(frame *runtime.Frame) int

func main() { testify() }

// testify writes to standard output: where the file is loaded, then the lines.
func testify() {
	base, low, high := loaded(reflect.ValueOf(testify).Pointer())
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintf(out, "base %d\n", base)
	for pc := low; pc < high; pc += stride {
		// The padding before a function is not asked about: the runtime takes an address for the one before a return
		// address, and looks up the function of the latter.
		if f := runtime.FuncForPC(pc); f != nil && f.Entry() == entry(pc+1) {
			testifyTo(out, pc)
		}
	}
}

func entry(pc uintptr) uintptr {
	if f := runtime.FuncForPC(pc); f != nil {
		return f.Entry()
	}
	return 0
}

func testifyTo(out *bufio.Writer, pc uintptr) {
	fmt.Fprintf(out, "at %d\n", pc)
	for frames := runtime.CallersFrames(expandFinalInlineFrame([]uintptr{pc + 1})); ; {
		frame, more := frames.Next()
		if frame.Function != "" {
			fmt.Fprintf(out, "%s\t%s\t%d\t%d\n", frame.Function, frame.File, frame.Line, frameStartLine(&frame))
		}
		if !more {
			return
		}
	}
}

// loaded finds the mapping that holds a pc, and the lowest address of its file.
func loaded(pc uintptr) (base, low, high uintptr) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	first := make(map[string]uintptr)
	for _, line := range strings.Split(string(maps), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 6 {
			continue
		}
		fmt.Sscanf(fields[0], "%x-%x", &low, &high)
		if _, ok := first[fields[5]]; !ok {
			first[fields[5]] = low
		}
		if low <= pc && pc < high {
			return first[fields[5]], low, high
		}
	}
	panic("not mapped")
}

// Code that is only there to be named: generic functions, method values, embedded methods, deferred closures.

type shape interface{ area() float64 }

type square struct{ side float64 }

func (s square) area() float64 { return s.side * s.side }

type named struct {
	*square
	name string
}

func largest[T any](values []T, size func(T) float64) (best T) {
	sort.Slice(values, func(i, j int) bool { return size(values[i]) > size(values[j]) })
	if len(values) > 0 {
		best = values[0]
	}
	return best
}

// Exercise keeps the linker from dropping the code above.
func Exercise(text string) string {
	shapes := []shape{square{2}, named{&square{3}, text}}
	defer func(n int) { recover() }(len(shapes))
	biggest := largest(shapes, shape.area)
	measure := biggest.area
	encoded, _ := json.Marshal(map[string]float64{regexp.MustCompile("a+").ReplaceAllString(text, "b"): measure()})
	return string(encoded)
}

var _ = Exercise(os.Args[0])
