package tables

import (
	"encoding/hex"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/stack"
)

// Module is a loaded file, as the region's table has it.
type Module struct {
	ID           stack.ModuleID
	Start, Limit uint64 // of its code
	Bias         uint64 // runtime address − ELF address
	BuildID      string // lower-case hex; "" if it has none
	Path         string
}

// Modules returns the table of modules, in the order of their IDs, as far as the region has room for their texts: in one that was
// damaged, many entries may lead to one text.
func (g Region) Modules() (list []Module) {
	left := uint64(len(g))
	for id := stack.ModuleID(1); id < layout.ModuleMade; id++ {
		at := Offset(g.Load32(g.Load64(layout.HeaderModules) + 4*uint64(id)))
		if at == 0 { // numbers are given one after another
			break
		}
		idSize, pathSize := uint64(g.Load32(at+layout.ModuleBuildIdSize)), uint64(g.Load32(at+layout.ModulePathSize))
		text := g.Bytes(at+layout.SizeofModule, min(idSize+pathSize, left))
		left -= uint64(len(text))
		idSize = min(idSize, uint64(len(text)))
		list = append(list, Module{ID: id, Start: g.Load64(at + layout.ModuleStart), Limit: g.Load64(at + layout.ModuleLimit),
			Bias: g.Load64(at + layout.ModuleBias), BuildID: string(text[:idSize]), Path: string(text[idSize:])})
	}
	return list
}

// Object is a library as a walk met it.
type Object struct {
	Start, Limit         uint64 // of its mapping
	CodeStart, CodeLimit uint64 // of its executable segments
	Bias                 uint64
	BuildID              string // lower-case hex; "" if it has none
	Path                 string // as the loader lists it; "" if it was too long
	Loads                uint64 // identifies the state of the loader's list when the object was last seen; 0 if unknown
}

// Object returns the object whose frames have a number; false if there is none.
func (g Region) Object(number stack.ModuleID) (Object, bool) {
	slot := uint64(number) - layout.FirstObject
	if slot >= layout.Objects {
		return Object{}, false
	}
	at := Offset(g.Load32(g.Load64(layout.HeaderObjects) + 4*slot))
	if at == 0 {
		return Object{}, false
	}
	is := at + layout.ObjectIs
	id := g.Bytes(is+layout.IdentityId, layout.IdentityPath-layout.IdentityId)
	path := g.Bytes(is+layout.IdentityPath, layout.SizeofIdentity-layout.IdentityPath)
	idSize, pathSize := uint64(g.Load32(is+layout.IdentityIdSize)), uint64(g.Load32(is+layout.IdentityPathSize))
	if idSize > uint64(len(id)) || pathSize > uint64(len(path)) {
		return Object{}, false
	}
	return Object{
		Start: g.Load64(is + layout.IdentityStart), Limit: g.Load64(is + layout.IdentityLimit),
		CodeStart: g.Load64(is + layout.IdentityCodeStart), CodeLimit: g.Load64(is + layout.IdentityCodeLimit),
		Bias: g.Load64(is + layout.IdentityBias), BuildID: hex.EncodeToString(id[:idSize]), Path: string(path[:pathSize]),
		Loads: g.Load64(at + layout.ObjectLoads),
	}, true
}

// Counted returns a counter, by its number in layout.Counters.
func (g Region) Counted(counter int) uint64 {
	n := g.Load64(layout.HeaderCounters + 8*uint64(counter))
	for i := range uint64(layout.GateSlots) {
		n += g.Load64(g.Load64(layout.HeaderSlots) + i*layout.SizeofGateSlot + layout.GateSlotCounters + 8*uint64(counter))
	}
	return n
}
