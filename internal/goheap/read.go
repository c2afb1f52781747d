package goheap

import (
	"runtime"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

// Read returns Go's own heap as runtime/pprof would write it at this moment: allocated since the program began, and in
// use, both as of the end of the last garbage collection. module returns the file that holds Go code, of the program or of a plugin; frames outside Go code,
// which a program's own traceback function can add, have no module. SampleBytes is runtime.MemProfileRate: 1 if every
// block was recorded, 0 if none. Start is zero. Samples have no ID and no labels, and come newest stack first, in an order
// that does not change.
func Read(module func(pc uintptr) stack.ModuleID) stack.Profile {
	records, cut := readRecords()
	expander := newExpander(module)
	p := stack.Profile{SampleBytes: int64(runtime.MemProfileRate), Time: time.Now()}
	p.Samples = expander.samples(records, p.SampleBytes)
	p.Losses = expander.cutStacks(records, cut)
	return p
}

func (e *expander) samples(records []record, rate int64) []stack.Sample {
	depth := 0
	for i := range records {
		depth += len(records[i].stack)
	}
	frames := make([]stack.Frame, 0, depth) // of all stacks
	scaled := make([]stack.Sample, 0, len(records))
	for i := range records {
		r := &records[i]
		values := r.values(rate)
		if values == (stack.Values{}) {
			continue
		}
		from := len(frames)
		frames = e.appendFrames(frames, r.stack)
		scaled = append(scaled, stack.Sample{
			Frames:    frames[from:len(frames):len(frames)],
			BlockSize: r.blockSize(),
			Values:    values,
		})
	}
	return scaled
}

// cutStacks counts the stacks that end before the function that began the goroutine. It ignores short stacks, which may end
// earlier because the runtime allocates on its own stack.
func (e *expander) cutStacks(records []record, why string) []stack.Loss {
	var n uint64
	for i := range records {
		r := &records[i]
		if last := len(r.stack) - 1; last+1 >= publicDepth && r.allocObjects > 0 && !e.at(r.stack[last]).goexit {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []stack.Loss{{Name: "go_stacks_cut", Sentence: why, Count: n}}
}
