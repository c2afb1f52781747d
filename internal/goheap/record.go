package goheap

import (
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

// record is the runtime's record of the blocks of one size that one stack allocated. Both readers return it: readDeep and
// readPublic.
type record struct {
	allocBytes, freeBytes     int64
	allocObjects, freeObjects int64
	stack                     []uintptr // return addresses, leaf first, with one for each inlined call; not to be changed
}

// blockSize returns the allocated size of each block, 0 if no block has been counted.
func (r *record) blockSize() int64 {
	if r.allocObjects == 0 {
		return 0
	}
	return r.allocBytes / r.allocObjects
}

// values returns estimates for all blocks, from the sampled ones.
func (r *record) values(rate int64) (v stack.Values) {
	v.AllocObjects, v.AllocBytes = scale(r.allocObjects, r.allocBytes, rate)
	v.InuseObjects, v.InuseBytes = scale(r.allocObjects-r.freeObjects, r.allocBytes-r.freeBytes, rate)
	return v
}

// readAll makes read fill a list of all records. New stacks appear meanwhile, so the list has more room than read requested.
func readAll[T any](allocate func(n int) []T, read func(list []T, inuseZero bool) (n int, ok bool)) []T {
	n, _ := read(nil, true)
	for {
		list := allocate(n + n/16 + 64)
		var ok bool
		if n, ok = read(list, true); ok {
			return list[:n]
		}
	}
}

func list[T any](n int) []T { return make([]T, n) }

func readPublic() []record {
	public := publicRecords()
	records := make([]record, len(public))
	for i := range public {
		p := &public[i]
		records[i] = record{p.AllocBytes, p.FreeBytes, p.AllocObjects, p.FreeObjects, p.Stack()}
	}
	return records
}

func publicRecords() []runtime.MemProfileRecord {
	return readAll(list[runtime.MemProfileRecord], runtime.MemProfile)
}

// publicDepth is the number of frames that a runtime.MemProfileRecord has room for.
const publicDepth = len(runtime.MemProfileRecord{}.Stack0)

// scale estimates all blocks of a size from the sampled ones, of which one was taken every rate bytes on average, at random.
// A block of s bytes is sampled with the probability
//
//	p = 1 − e^(−s/rate)
//
// so each sampled block stands for 1/p. All blocks of a record have one size, and it is exact to take it as the mean. At a
// rate of 1 every block was sampled; below 1, the probability is unknown, and the numbers are not changed. The formula, and
// that both products are cut to whole numbers, are the same as in scaleHeapSample of Go's runtime/pprof/protomem.go.
func scale(objects, bytes, rate int64) (int64, int64) {
	switch {
	case objects == 0 || bytes == 0:
		return 0, 0
	case rate <= 1:
		return objects, bytes
	}
	size := float64(bytes) / float64(objects)
	weight := 1 / (1 - math.Exp(-size/float64(rate)))
	return whole(float64(objects) * weight), whole(float64(bytes) * weight)
}

// whole returns a number without its fraction. A number that is too large becomes the largest.
func whole(v float64) int64 {
	if v >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(v)
}

// hidesAtLeaf reports whether a function is hidden at the leaf, alone or in a run of hidden functions: how the runtime
// allocates a block does not show the cause. Further out its functions are shown, for example those that call finalizers.
// The rule is the same as in writeHeapProto of Go's runtime/pprof/protomem.go. There the function is the return address's,
// not of the call before it; so it is here, or stacks would differ where a call is the last thing in an inlined function.
func hidesAtLeaf(pc uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && (strings.HasPrefix(f.Name(), "runtime.") || strings.HasPrefix(f.Name(), "internal/runtime/"))
}

// isGoexit reports whether pc is the address that a goroutine's first function returns to. It is never shown.
func isGoexit(pc uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && f.Name() == "runtime.goexit"
}

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
