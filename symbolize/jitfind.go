package symbolize

import "github.com/cgoheap/cgoheap/mappings"

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
