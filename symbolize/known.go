package symbolize

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"unsafe"

	"github.com/cgoheap/cgoheap/mappings"
)

// known remembers the answers for a module's addresses. It is small: 16 bytes for each address, and 8 for the start of the
// function around one without a name, where a map of Results takes 80. Between two profiles it is bytes (compact.go). Addresses
// and starts are distances from the base, which lies 2 GiB before the first address.
type known struct {
	store   *store // for what the bytes hold
	base    uint64
	answers []answer // ascending
	around  []around // ascending
	bytes   []byte   // what the two lists hold; nil if they never held anything
	changed bool     // the lists hold more
}

// answer is a Result without its Start.
type answer struct {
	address uint32
	count   uint16 // of lines
	reason  Reason
	lack    Reason
	lines   *Line // the first
}

// around is the start of the function around an address.
type around struct{ address, start uint32 }

// distance returns false for an address that is not within 2 GiB of the first one.
func (k *known) distance(address uint64) (uint32, bool) {
	return uint32(address - k.base), address-k.base <= math.MaxUint32
}

// find returns where the answer for an address is.
func (k *known) find(address mappings.ELFAddr) (index int, found bool) {
	k.expand()
	return slices.BinarySearchFunc(k.answers, uint64(address)-k.base, func(a answer, distance uint64) int {
		return cmp.Compare(uint64(a.address), distance)
	})
}

// has reports whether there is an answer for an address.
func (k *known) has(address mappings.ELFAddr) bool {
	_, found := k.find(address)
	return found
}

// of returns the remembered answer for an address.
func (k *known) of(address mappings.ELFAddr) (Result, bool) {
	i, found := k.find(address)
	if !found {
		return Result{}, false
	}
	a := &k.answers[i]
	r := Result{Reason: a.reason, Lack: a.lack}
	if a.count > 0 {
		r.Lines = unsafe.Slice(a.lines, a.count)
		return r, true
	}
	i, found = slices.BinarySearchFunc(k.around, a.address, func(s around, address uint32) int {
		return cmp.Compare(s.address, address)
	})
	if found {
		r.Start = mappings.ELFAddr(k.base + uint64(k.around[i].start))
	}
	return r, true
}

// add remembers results of addresses that are not yet known, and returns how many.
func (k *known) add(w wants) int {
	k.expand()
	before := len(k.answers)
	if before == 0 && len(w) > 0 {
		k.base = w[0].address - 1<<31
	}
	k.answers = slices.Grow(k.answers, len(w))
	for i := range w {
		if !mayPass(&w[i]) {
			k.addOne(w[i].address, w[i].result())
		}
	}
	if before > 0 {
		slices.SortFunc(k.answers, func(a, b answer) int { return cmp.Compare(a.address, b.address) })
		slices.SortFunc(k.around, func(a, b around) int { return cmp.Compare(a.address, b.address) })
	}
	added := len(k.answers) - before
	k.changed = k.changed || added > 0
	return added
}

// addOne leaves out a Result that does not fit: with thousands of lines, or far from the others.
func (k *known) addOne(address uint64, r Result) {
	at, near := k.distance(address)
	if !near || len(r.Lines) > math.MaxUint16 {
		return
	}
	if r.Start != 0 {
		function, near := k.distance(uint64(r.Start))
		if !near {
			return
		}
		k.around = append(k.around, around{at, function})
	}
	k.answers = append(k.answers, answer{at, uint16(len(r.Lines)), r.Reason, r.Lack, unsafe.SliceData(r.Lines)})
}

// mayPass reports whether a result is temporary: the next profile may have another.
func mayPass(w *want) bool {
	return w.reason == unreadable || w.reason == serverFailed || w.lack == serverFailed
}

// starts lists where functions begin, ascending by distance and group, in 4 bytes each: the lower half of the distance, and
// the group. The upper half is where in the list the function stands.
//
//	distance  0000 1040   0000 1980   0003 0010
//	list      1040 group  1980 group  0010 group
//	pages     0 2 2 2 3                           pages[h] functions have an upper half below h
type starts struct {
	list  []uint32
	pages []uint32 // from 0 to the last upper half, plus 1
}

const (
	halfBits = 16
	half     = 1<<halfBits - 1
)

// newStarts packs ascending entries. It overwrites them.
func newStarts(entries []entry, g groups) (s starts) {
	for i, e := range entries {
		entries[i] = entry(e.distance()<<32 | uint64(g.of(e)))
	}
	entries = slices.Compact(entries)
	if len(entries) == 0 {
		return s
	}
	s.list = make([]uint32, len(entries))
	s.pages = make([]uint32, entries[len(entries)-1].distance()>>halfBits+2)
	for i, e := range entries {
		s.list[i] = uint32(e.distance()<<halfBits) | uint32(e&half)
		s.pages[e.distance()>>halfBits+1] = uint32(i + 1)
	}
	for h := 1; h < len(s.pages); h++ {
		s.pages[h] = max(s.pages[h], s.pages[h-1])
	}
	return s
}

func (s *starts) len() int { return len(s.list) }

// first returns the index of the first function at the distance or farther.
func (s *starts) first(distance uint64) int {
	upper := distance >> halfBits
	if upper+1 >= uint64(len(s.pages)) {
		return len(s.list)
	}
	low, high := s.pages[upper], s.pages[upper+1]
	i, _ := slices.BinarySearch(s.list[low:high], uint32(distance<<halfBits))
	return int(low) + i
}

// distance returns the distance of the function at an index.
func (s *starts) distance(i int) uint64 {
	upper := sort.Search(len(s.pages), func(h int) bool { return int(s.pages[h]) > i }) - 1
	return uint64(upper)<<halfBits | uint64(s.list[i]>>halfBits)
}

// group returns the group of the function at an index.
func (s *starts) group(i int) uint32 { return s.list[i] & half }

// groups divides the numbers of the functions of all tables into ranges of one size, as small as 65,536 ranges allow: one
// function in small files, two in a program of 100,000 functions.
type groups struct {
	sizeBits int
	first    []int // by table: its first group; then how many there are
}

// newGroups divides the numbers of the entries.
func newGroups(entries []entry, tables int) groups {
	counts := make([]int, tables)
	for _, e := range entries {
		counts[e.table()] = max(counts[e.table()], int(e.number())+1)
	}
	g := groups{first: make([]int, tables+1)}
	for ; ; g.sizeBits++ {
		for i, n := range counts {
			g.first[i+1] = g.first[i] + (n+1<<g.sizeBits-1)>>g.sizeBits
		}
		if g.first[tables] <= 1<<halfBits {
			return g
		}
	}
}

// of returns the group of an entry.
func (g groups) of(e entry) uint32 { return uint32(g.first[e.table()]) + e.number()>>g.sizeBits }

// at returns the table of a group, and the numbers from first to end − 1 that are in the group.
func (g groups) at(group uint32) (table int, first, end uint32) {
	table = sort.SearchInts(g.first, int(group)+1) - 1
	first = (group - uint32(g.first[table])) << g.sizeBits
	return table, first, first + 1<<g.sizeBits
}
