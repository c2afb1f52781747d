package goheap

import (
	"runtime"

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
