package symbolize

import (
	"slices"

	"github.com/cgoheap/cgoheap/mappings"
)

// indexLimit bounds the indexed functions, at 4 bytes each: the largest programs have one or two million. Indexes beyond it
// are built again for each batch.
const indexLimit = 1 << 20

// indexes remembers the indexes of modules. When it is full it forgets all.
type indexes struct {
	modules map[moduleKey]*symbolIndex
	count   int // entries
}

// of returns the index of a module's tables.
func (x *indexes) of(m *mappings.Module, tables []functionTable, code spans) *symbolIndex {
	key := keyOf(m)
	if known := x.modules[key]; known != nil && slices.Equal(known.tables, marks(tables)) {
		return known
	}
	made := newSymbolIndex(tables, code)
	if x.count += made.starts.len(); x.count > indexLimit || x.modules == nil {
		*x = indexes{modules: make(map[moduleKey]*symbolIndex), count: made.starts.len()}
	}
	if made.starts.len() <= indexLimit {
		x.modules[key] = made
	}
	return made
}
