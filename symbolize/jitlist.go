package symbolize

import (
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"sort"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// GDB's JIT interface is a list in the memory of the process:
//
//	__jit_debug_descriptor ─► entry ⇄ entry ⇄ …   the newest first
//	                            └► symfile: an ELF image with the addresses and names of functions
//
// The runtime changes the list under its own lock, while it is read here without one. Three checks keep the result right:
//
//   - Memory is read through the kernel, so memory that is gone is an error.
//   - An entry counts if it is in the list after its symfile was read: the entry before it, to which it points, points back.
//     A runtime that removes an entry lets the one before point elsewhere. Only then does it free or use again what
//     the entry had.
//   - A symfile that names something wanted is read twice, and must say the same: its runtime may have put another one in
//     the same place, and half of each may have been read.
//
// If an entry does not count, the list has changed, and is read again from its start. The list and the symfiles may contain
// anything: reading them takes a bounded number of reads, and no memory.

const (
	jitVersion = 1
	jitPasses  = 3         // over a list that changes while it is read
	jitEntries = 1 << 16   // of a list
	jitBytes   = 128 << 20 // that are read for one profile
	jitRead    = 512       // bytes that any read counts for at least
)

// The layout on 64-bit machines: of the descriptor, version and action (4 bytes each), the entry that it last acted on, the
// first entry; of an entry, the next one, the one before, its symfile's address and size.
const (
	jitFirst      = 16 // offset in the descriptor of the address of the first entry
	jitDescriptor = 24 // bytes
	jitNext       = 0  // offset in an entry of the address of the next one
)

type jitEntry struct{ next, previous, symfile, size uint64 }

// jitReader reads lists, until it has read too much.
type jitReader struct {
	memory   io.ReaderAt
	left     int
	buffer   [32]byte
	symfile  elffile.Symfile
	covering map[int]elffile.SymfileFunction // by the numbers of wants: functions of the symfile
}

func newJITReader(memory io.ReaderAt) *jitReader {
	return &jitReader{memory: memory, left: jitBytes, covering: make(map[int]elffile.SymfileFunction)}
}

var errJITBytes = errors.New("GDB's JIT list takes too long to read")

// ReadAt reads memory as long as there is something left to read.
func (r *jitReader) ReadAt(to []byte, address int64) (int, error) {
	if r.left -= max(len(to), jitRead); r.left < 0 {
		return 0, errJITBytes
	}
	return r.memory.ReadAt(to, address)
}

// words reads up to four words of memory. False if they cannot be read.
func (r *jitReader) words(address uint64, n int) (words [4]uint64, ok bool) {
	data := r.buffer[:8*n]
	if read, _ := r.ReadAt(data, int64(address)); read < len(data) {
		return words, false
	}
	for i := range n {
		words[i] = binary.NativeEndian.Uint64(data[8*i:])
	}
	return words, true
}

func (r *jitReader) entry(address uint64) (jitEntry, bool) {
	w, ok := r.words(address, 4)
	return jitEntry{w[0], w[1], w[2], w[3]}, ok
}

// name names the wants, which ascend by address, by the list of the descriptor at an address, except wants that have a name
// already. It reports whether the list was read to its end: then what it did not name is not in it.
func (r *jitReader) name(descriptor uint64, wants []madeWant) (whole bool) {
	for range jitPasses {
		if whole = r.pass(descriptor, wants); whole {
			return true
		}
	}
	return false
}

// pass follows the list once. False if it changed meanwhile, or does not end.
func (r *jitReader) pass(descriptor uint64, wants []madeWant) (whole bool) {
	head, ok := r.words(descriptor, jitDescriptor/8)
	if !ok || uint32(head[0]) != jitVersion {
		return r.left >= 0
	}
	at := head[jitFirst/8]
	for range jitEntries {
		if at == 0 {
			return true
		}
		entry, ok := r.entry(at)
		if !ok {
			return false
		}
		found, ok := r.lookUpTwice(&entry, wants)
		if !ok || !r.isListed(descriptor, at, &entry) {
			return false
		}
		for i, name := range found {
			wants[i].name = []byte(name)
		}
		at = entry.next
	}
	return false
}

// isListed reports whether an entry is still in the list, as it was.
func (r *jitReader) isListed(descriptor, at uint64, entry *jitEntry) bool {
	again, ok := r.entry(at)
	if !ok || again != *entry {
		return false
	}
	link := entry.previous + jitNext
	if entry.previous == 0 {
		link = descriptor + jitFirst
	}
	points, ok := r.words(link, 1)
	return ok && points[0] == at
}

// lookUpTwice finds names in an entry's symfile, by the numbers of the wants. False if the symfile changed meanwhile.
func (r *jitReader) lookUpTwice(entry *jitEntry, wants []madeWant) (names map[int]string, ok bool) {
	names = r.lookUp(entry, wants)
	return names, len(names) == 0 || maps.Equal(names, r.lookUp(entry, wants))
}

func (r *jitReader) lookUp(entry *jitEntry, wants []madeWant) (names map[int]string) {
	if r.symfile.Open(r, int64(entry.symfile), entry.size) != nil {
		return nil
	}
	r.cover(wants)
	for i, f := range r.covering {
		name := r.symfile.Name(f)
		if name == "" {
			continue
		}
		if names == nil {
			names = make(map[int]string)
		}
		names[i] = string(printable([]byte(name)))
	}
	return names
}

// cover finds, for the wants without a name, the functions that cover them. Of several the one that begins last wins, and
// then the first in the table.
func (r *jitReader) cover(wants []madeWant) {
	if len(r.covering) > 0 {
		clear(r.covering)
	}
	r.symfile.Each(func(f elffile.SymfileFunction) bool {
		first := sort.Search(len(wants), func(i int) bool { return wants[i].address >= f.Start })
		for i := first; i < len(wants) && wants[i].address-f.Start < f.Size; i++ {
			if r.left--; r.left < 0 {
				return false
			}
			if best, ok := r.covering[i]; wants[i].name == nil && (!ok || f.Start > best.Start) {
				r.covering[i] = f
			}
		}
		return true
	})
}
