//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"os"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
)

// Each thread has a vector (dtv) with the address of its thread-local storage for each file, by the number that the loader gave
// to the file. Where the thread keeps the vector is libc's secret:
//
//	glibc  amd64: the second word at the thread pointer, arm64: the first    entries of two words
//	musl   amd64: the second word at the thread pointer, arm64: one before   entries of one word
//
// So it is looked for in the calling thread, of which the loader tells all addresses (dl_iterate_phdr). All of them must stand
// in the vector, or no thread's is read.

// vector is where a thread's vector is, and its form.
type vector struct {
	pointer uint64 // the address of the vector's, from the control block on
	stride  uint64 // bytes of an entry
}

// mostModules is more than the numbers of files with thread-local storage.
const mostModules = 1 << 12

// Threads returns the running threads that libc knows. Empty if its lists cannot be read.
func (r *Recording) Threads() (threads []account.Thread) {
	onMadeThread(func() {
		stacks, main := triedLibcStacks()
		files, here := cgo.ThreadLocals()
		v, known := findVector(files, here.Self, here.Pointer)
		if main != 0 {
			stacks = append(stacks, account.Stack{Thread: os.Getpid(), Control: main})
		}
		for _, s := range stacks {
			if s.Thread == 0 {
				continue
			}
			t := account.Thread{Number: s.Thread, Stack: s.Range, Control: s.Control}
			if here.Keys != 0 && s.Control != 0 {
				t.Keys = account.Range{Start: s.Control + here.Keys, Limit: s.Control + here.Keys + cgo.KeysHere*account.KeyBytes}
			}
			if known {
				t.Storage = v.storage(s.Control, files)
			}
			threads = append(threads, t)
		}
		addStatic(threads)
	})
	return threads
}

// addStatic adds storage that a thread's vector does not have yet: of a file that was loaded later and got room beside the
// stacks of all threads. There the distance from the control block is the same in each thread.
func addStatic(threads []account.Thread) {
	type file struct{ bias, distance, size uint64 }
	var files []file
	for i := range threads {
		t := &threads[i]
		for _, s := range t.Storage {
			f := file{s.Bias, s.Start - t.Control, s.Limit - s.Start}
			if t.Stack.Start <= s.Start && s.Limit <= t.Stack.Limit && !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	for i := range threads {
		t := &threads[i]
		for _, f := range files {
			start := t.Control + f.distance
			inside := t.Stack.Start <= start && start+f.size <= t.Stack.Limit || t.Stack.Start == t.Stack.Limit
			if inside && !slices.ContainsFunc(t.Storage, func(s account.ThreadLocal) bool { return s.Bias == f.bias }) {
				t.Storage = append(t.Storage, account.ThreadLocal{Range: account.Range{Start: start, Limit: start + f.size}, Bias: f.bias})
			}
		}
		slices.SortFunc(t.Storage, func(a, b account.ThreadLocal) int { return cmp.Compare(a.Start, b.Start) })
	}
}

// findVector looks for the vector of the calling thread.
func findVector(files []cgo.ThreadLocal, self, pointer uint64) (vector, bool) {
	for _, offset := range []uint64{8, 0, ^uint64(7)} {
		for _, stride := range []uint64{16, 8} {
			v := vector{pointer - self + offset, stride}
			if v.agrees(self, files) {
				return v, true
			}
		}
	}
	return vector{}, false
}

func (v vector) agrees(self uint64, files []cgo.ThreadLocal) bool {
	starts, agreed := v.starts(self, files), 0
	for i, f := range files {
		if f.Start == 0 {
			continue
		}
		if starts[i] != f.Start {
			return false
		}
		agreed++
	}
	return agreed > 0
}

// starts returns where a thread's storage for each file begins; 0 if it has none. The vector of a thread that has not asked for
// the storage of a file that was loaded later may end before its number, where anything stands.
func (v vector) starts(control uint64, files []cgo.ThreadLocal) []uint64 {
	var last uint64
	for _, f := range files {
		last = max(last, f.Module)
	}
	starts := make([]uint64, len(files))
	if last >= mostModules {
		return starts
	}
	first := wordAt(control + v.pointer)
	words := wordsUpTo(first, int((last+1)*v.stride/8))
	for i, f := range files {
		if at := f.Module * v.stride / 8; at < uint64(len(words)) {
			starts[i] = words[at]
		}
	}
	return starts
}

// storage returns a thread's storage for all files, in their order. glibc keeps the number of entries one before the vector,
// musl in its first word.
func (v vector) storage(control uint64, files []cgo.ThreadLocal) (list []account.ThreadLocal) {
	first := wordAt(control + v.pointer)
	entries := wordAt(first)
	if v.stride == 16 {
		entries = wordAt(first - v.stride)
	}
	const unallocated = 1<<64 - 1
	for i, start := range v.starts(control, files) {
		if f := &files[i]; f.Module <= entries && start != 0 && start != unallocated && start+f.Size > start {
			list = append(list, account.ThreadLocal{Range: account.Range{Start: start, Limit: start + f.Size}, Bias: f.Bias})
		}
	}
	return list
}
