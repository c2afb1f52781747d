package symbolize

import (
	"hash/maphash"

	"github.com/cgoheap/cgoheap/mappings"
)

// jitDescriptors remembers the ELF addresses of GDB's JIT descriptors in the modules of the process, none for most. Finding
// them takes a pass over all strings of a module's symbol tables, so it is done once. .symtab is searched too: a program
// into which a runtime is linked need not export them.
type jitDescriptors map[jitModule][]uint64

// jitModule identifies a module and the state of its file.
type jitModule struct {
	moduleKey
	written mappings.Written
}

// addresses returns the runtime addresses of all descriptors in the modules, and forgets other modules.
func (d *jitDescriptors) addresses(modules []mappings.Module) (all []uint64) {
	known := *d
	*d = make(jitDescriptors, len(modules))
	for i := range modules {
		m := &modules[i]
		key := jitModule{keyOf(m), m.Written}
		values, ok := known[key]
		if !ok {
			values, ok = findJITDescriptors(m)
		}
		if ok {
			(*d)[key] = values
		}
		for _, value := range values {
			all = append(all, value+m.Bias)
		}
	}
	return all
}

// findJITDescriptors reads a module's file; false if it cannot be opened.
func findJITDescriptors(m *mappings.Module) (values []uint64, ok bool) {
	file, err := openModule(m)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	values, _ = file.Variable("__jit_debug_descriptor") // values found before an error are valid
	return values, true
}

// nameByJITLists names the wants, which ascend by address, from the lists of this process. It reports whether all lists were
// read completely.
func (s *Symbolizer) nameByJITLists(wants []madeWant) (whole bool) {
	modules, err := mappings.Self()
	if err != nil {
		return false
	}
	reader := newJITReader(mappings.Memory{})
	whole = true
	for _, descriptor := range s.descriptors.addresses(modules) {
		whole = reader.name(descriptor, wants) && whole
	}
	return whole
}

// Code made at run time is freed, and other code takes its address. A list for GDB has only the present code, but a stack
// may be older. So the name that the lists had for an address when it was first looked up is remembered. As long as they
// have the same name, it is taken to be the name of the code in the stacks. If the lists change the name, drop it, or had
// none at first, the stacks may belong to either code, and the address never has a name again.
//
// What remains undetected is code that came or went before its address was first looked up, or for so short a time that the
// lists had the same name before and after.
type jitSeen struct {
	said map[uint64]uint64 // by address: the hash of the name, or one of the values below
	seed maphash.Seed
}

const (
	saidNothing uint64 = iota
	saidSeveral        // at different times
	saidNames          // and above
)

// seenLimit bounds the addresses that are remembered, at about 40 bytes each. Addresses beyond it have no name.
const seenLimit = 1 << 15

// judge removes the names of wants whose names in the lists have changed. If the lists were not read completely, a missing
// name proves nothing.
func (s *jitSeen) judge(wants []madeWant, whole bool) {
	if s.said == nil {
		s.said, s.seed = make(map[uint64]uint64), maphash.MakeSeed()
	}
	for i := range wants {
		w := &wants[i]
		if w.name == nil && !whole {
			continue
		}
		now := saidNothing
		if w.name != nil {
			now = max(maphash.Bytes(s.seed, w.name), saidNames)
		}
		then, known := s.said[w.address]
		switch {
		case !known && len(s.said) >= seenLimit:
			w.name = nil
		case !known:
			s.said[w.address] = now
		case then != now:
			s.said[w.address] = saidSeveral
			w.name, w.replaced = nil, true
		}
	}
}
