package goheap

import (
	"runtime"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

// Read returns Go's own heap as runtime/pprof would write it at this moment: allocated since the program began, and in use
// when the last garbage collection ended. module is the file that holds the program's Go code; frames outside Go code,
// which a program's own traceback function can add, have no module. SampleBytes is runtime.MemProfileRate: 1 if every
// block was recorded, 0 if none. Start is zero. Samples have no ID and no labels, and come newest stack first, in an order
// that does not change.
func Read(module stack.ModuleID) stack.Profile {
	records, cut := readRecords()
	p := stack.Profile{
		SampleBytes: int64(runtime.MemProfileRate),
		Time:        time.Now(),
		Losses:      cutStacks(records, cut),
	}
	p.Samples = samples(records, module, p.SampleBytes)
	return p
}

func samples(records []record, module stack.ModuleID, rate int64) []stack.Sample {
	depth := 0
	for i := range records {
		depth += len(records[i].stack)
	}
	places := newPlaces(module)
	frames := make([]stack.Frame, 0, depth) // of all stacks
	scaled := make([]stack.Sample, 0, len(records))
	for i := range records {
		r := &records[i]
		values := r.values(rate)
		if values == (stack.Values{}) {
			continue
		}
		from := len(frames)
		frames = places.appendFrames(frames, r.stack)
		scaled = append(scaled, stack.Sample{
			Frames:    frames[from:len(frames):len(frames)],
			BlockSize: r.blockSize(),
			Values:    values,
		})
	}
	return scaled
}
