package dwarf

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// Data is the debug data of one program, opened.
type Data struct {
	program Program
	file    *file
	memory  scratch.Memory // of the headers
	damage  error          // in the headers of units
}

// Open opens the debug data of a program; nil if it has none. Compressed sections are decompressed; of others only the
// headers of the units are read. The caller closes the Data.
func Open(p Program) (*Data, error) {
	f, err := openFile(p.Source, "", allSections)
	if err != nil {
		return nil, err
	}
	if f.sections[secInfo].size() == 0 {
		return nil, nil
	}
	f.openAlternate = p.Alternate
	d := &Data{program: p, file: f}
	f.memory = &d.memory
	d.damage = f.readHeaders(nil)
	return d, nil
}

// Close closes the files that the Program's functions opened and, if it is an io.Closer, its Source.
func (d *Data) Close() {
	d.file.close()
	d.memory.Free()
}

// job is a unit in which to look wants up, the addresses of the batch at the given indices.
type job struct {
	order int // of the unit in the file
	unit  *unit
	wants []int32
}

// search is one look-up of a batch.
type search struct {
	*Data
	addresses batch
	steps     atomic.Int64
	jobs      chan job

	mu      sync.Mutex
	answers []*Answer
	named   []int32 // which unit set an answer's frames, and which its position
	placed  []int32
	damage  error
	damaged int // the unit that has the damage
}

// Find returns an answer for each of the addresses, which must ascend and differ: nil if nothing is known. An error means that some of
// the debug data could not be read, or was not read because of ErrTooBig; the answers come from the rest. The same file
// yields the same answers, unless the error is ErrTooBig.
func (d *Data) Find(addresses []uint64) ([]*Answer, error) {
	var memory scratch.Memory
	defer memory.Free()
	s := &search{Data: d, addresses: newBatch(addresses, &memory), jobs: make(chan job, 4), damage: d.damage}
	s.answers = make([]*Answer, len(addresses))
	s.named, s.placed = scratch.Slice[int32](&memory, len(addresses)), scratch.Slice[int32](&memory, len(addresses))
	var group sync.WaitGroup
	for range workers() {
		group.Add(1)
		go func() {
			defer group.Done()
			s.work() // which guards itself, job by job
		}()
	}
	s.makeJobs()
	group.Wait()
	if s.steps.Load() > stepLimit {
		s.damage = ErrTooBig
	}
	return s.answers, s.damage
}

// makeJobs releases the workers, after a panic as well.
func (s *search) makeJobs() {
	defer close(s.jobs)
	s.findUnits()
}

// findUnits makes jobs of the units whose ranges hold addresses. It reads the first entry of every unit.
func (s *search) findUnits() {
	r := newReader(&s.steps)
	c := &cursor{reach: entryWindow, budget: &r.budget}
	for order := range s.file.units {
		h := &s.file.units[order]
		if h.kind != unitCompile && h.kind != unitSkeleton {
			continue
		}
		if !r.budget.spend(1) {
			return
		}
		if err := s.findUnit(r, c, order, h); err != nil {
			s.fail(order, err)
		}
	}
}

func (s *search) findUnit(r *reader, c *cursor, order int, h *header) error {
	c.open(&s.file.sections[secInfo], h.entries, h.end)
	a, ok := r.rootAbbrev(s.file, h, c.uleb())
	if !ok || c.short {
		return errDamaged
	}
	if a.tag != tagCompileUnit && a.tag != tagSkeletonUnit {
		return nil
	}
	u := r.nextUnit(s.file, h)
	if r.readRoot(u, c, &a); c.short {
		return errDamaged
	}
	var wants []int32
	err := r.ranges(u, &u.extent, s.program.IsCode, func(low, high uint64) bool {
		first, last := s.addresses.lower(low), s.addresses.lower(high)
		for ; first < last; first++ {
			wants = append(wants, int32(first))
		}
		return len(wants) <= 2*len(s.addresses.all)
	})
	if len(wants) == 0 {
		return err
	}
	if !r.budget.spend(len(wants) * wantSteps) {
		return ErrTooBig
	}
	slices.Sort(wants)
	taken := *u
	s.jobs <- job{order, &taken, slices.Compact(wants)}
	return err
}

// wantSteps is what it costs to ask a unit about one address, and for each frame to describe it.
const wantSteps = 1 << 5

// rootAbbrev finds the abbreviation of a unit's root, which mostly is the first of a table that only this unit has. The
// table is read to its end when a second unit has the same.
func (r *reader) rootAbbrev(f *file, h *header, wanted uint64) (a abbrev, ok bool) {
	key := abbrevKey{f, h.abbrevs, h.encoding}
	c := r.open(f, secAbbrev, h.abbrevs)
	if r.own.key == key {
		if !r.own.whole {
			r.own.readTable(c, key)
		}
		found := r.own.find(wanted)
		if found == nil {
			return a, false
		}
		return *found, true
	}
	r.own.begin(key)
	for len(r.own.attrs)+len(r.own.ops) < tableLimit && !r.budget.exhausted() {
		code, a := r.own.read(c)
		if code == wanted || code == 0 || c.short {
			return a, code == wanted && code != 0 && !c.short
		}
	}
	return a, false
}

// fail records the damage that is first in the file.
func (s *search) fail(order int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damage == nil || order < s.damaged {
		s.damage, s.damaged = errors.Join(err), order
	}
}

// work does jobs until none are left. A panic counts as damage of its unit, and the next job begins afresh.
func (s *search) work() {
	var j job
	for more := true; more; {
		caught := background.Guard("reading debug data", func() {
			w := &walk{reader: newReader(&s.steps), isCode: s.program.IsCode}
			n := &names{reader: w.reader, spine: &w.spine}
			for j, more = <-s.jobs; more; j, more = <-s.jobs {
				if w.budget.exhausted() {
					continue
				}
				if err := s.do(w, n, j); err != nil {
					s.fail(j.order, err)
				}
			}
		})
		if caught != nil {
			s.fail(j.order, caught)
		}
	}
}

// do looks the wants of a job up in a unit. Damage in one table does not affect the others.
func (s *search) do(w *walk, n *names, j job) error {
	w.wants = w.wants[:0]
	for _, index := range j.wants {
		w.wants = append(w.wants, want{address: s.addresses.all[index], index: index})
	}
	lines, lineErr := w.readLineHeader(j.unit)
	if lines != nil {
		lineErr = w.findRows(lines)
	}
	w.unit = j.unit
	split, splitErr := s.split(w.reader, j.unit)
	if split != nil {
		w.unit = split
		defer closeSource(split.file.source)
	}
	callErr := errDamaged
	if w.takeTable(w.unit) {
		callErr = w.findCalls()
	}
	n.begin(w.unit)
	answers := w.describe(n, lines)
	nameErr := n.qualify()
	s.adopt(j, answers)
	return errors.Join(lineErr, splitErr, callErr, nameErr)
}
