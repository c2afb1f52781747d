//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "block.h"
// #include "bounds.h"
// #include "clock.h"
// #include "counters.h"
// #include "credit.h"
// #include "device_books.h"
// #include "ending.h"
// #include "filter.h"
// #include "gate.h"
// #include "gate_slot.h"
// #include "labels.h"
// #include "lifetimes.h"
// #include "live.h"
// #include "lookup.h"
// #include "mapped_table.h"
// #include "objects.h"
// #include "page_set.h"
// #include "peak.h"
// #include "probe.h"
// #include "region.h"
// #include "rows.h"
// #include "site.h"
// #include "sites.h"
// #include "stacks.h"
// #include "walk.h"
import "C"

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/testonly"
)

func init() {
	testonly.AllowBounds = func(allow bool) { C.bounds_allow(C.bool(allow)) }
	testonly.AllowObjects = func(allow bool) bool { return bool(C.objects_allow(C.bool(allow))) }
	testonly.FillGate = fillGate
	testonly.Hold = hold
	testonly.RuleAt = func(address uint64) testonly.Rule {
		return *(*testonly.Rule)(unsafe.Pointer(C.index_rule(C.uintptr_t(address))))
	}
}

// A rule has the size that tests know.
var _ testonly.Rule = [C.sizeof_struct_rule]byte{}

func hold(slots int) (release func(), entered bool) {
	entered = bool(C.probe_enter(C.uint32_t(slots)))
	return func() { C.probe_leave() }, entered
}

func fillGate() (release func()) {
	const inside = 2 // GATE_INSIDE(0)
	by := func(slot int) *uint32 { return (*uint32)(unsafe.Pointer(&C.cgoheap_inside[slot])) }
	for slot := range C.cgoheap_inside {
		for !atomic.CompareAndSwapUint32(by(slot), C.GATE_VACANT, inside) {
			runtime.Gosched()
		}
	}
	return func() {
		for slot := range C.cgoheap_inside {
			atomic.StoreUint32(by(slot), C.GATE_VACANT)
		}
	}
}

// inRegion are the structs that the region holds, except structs inside other structs, and the set that its header leads to.
var inRegion = []reflect.Type{
	reflect.TypeFor[C.struct_header](), reflect.TypeFor[C.struct_gate_slot](),
	reflect.TypeFor[C.struct_frame](), reflect.TypeFor[C.struct_node](), reflect.TypeFor[C.struct_stack](),
	reflect.TypeFor[C.struct_stack_head](), reflect.TypeFor[C.struct_size_table](),
	reflect.TypeFor[C.struct_site](), reflect.TypeFor[C.struct_flow](), reflect.TypeFor[C.struct_lifetime](),
	reflect.TypeFor[C.struct_labels](), reflect.TypeFor[C.struct_label](), reflect.TypeFor[C.struct_bucket](),
	reflect.TypeFor[C.struct_module](), reflect.TypeFor[C.struct_index](), reflect.TypeFor[C.struct_range](),
	reflect.TypeFor[C.struct_rule](), reflect.TypeFor[C.struct_go_code](), reflect.TypeFor[C.struct_cache_entry](),
	reflect.TypeFor[C.struct_object](), reflect.TypeFor[C.struct_mapped_table](), reflect.TypeFor[C.struct_mapped](),
	reflect.TypeFor[C.struct_page_set](), reflect.TypeFor[C.struct_device_entry](),
}

// numbers are the constants of the region that Go reads too.
var numbers = []struct {
	name  string
	value uint64
	about string
}{
	{"Magic", C.REGION_MAGIC, "the first word of a region"},
	{"Version", C.REGION_VERSION, "of the layout"},

	{"Carries", C.REGION_CARRIES, "the most carries that are on their way at once"},
	{"InUseUnit", C.UNIT, "one unit, 2^-4 bytes, in the word at HeaderInuse"},
	{"GateSlots", C.GATE_SLOTS, "records at HeaderSlots, each with counters that add to the header's"},
	{"CountStacks", C.COUNT_STACKS, "the counter of stacks"},
	{"CountSites", C.COUNT_SITES, "the counter of sites"},
	{"CountEnd", C.COUNT_END, "the first counter of an enum end; it counts whole stacks"},
	{"Ends", C.ENDS, "the number of these counters"},

	{"StackTries", C.STACK_LISTS + 1, "refs of sites in a stack, each the root of a trie"},
	{"StackEnds", C.STACK_ENDS, "a ref below it is not a node, but an end"},
	{"EndNoFile", C.END_NO_FILE, "the end of a stack at code that is in no file"},
	{"SiteMixed", C.SITE_MIXED, "the size of a site whose blocks have different sizes"},
	{"SiteOnHost", C.SITE_ON_HOST, "where a site's blocks lie: in the host's memory"},
	{"SiteOnDevice", C.SITE_ON_DEVICE, "in memory of a device"},
	{"SitePinned", C.SITE_PINNED, "in memory of the host that is pinned for a device"},
	{"SiteRegistered", C.SITE_REGISTERED, "in memory of the host that is somebody's already, and registered with a driver"},
	{"KeyAddressBits", C.SITE_KEY_ADDRESS_BITS, "a reported block with a key of more bits has no address"},
	{"LabelsMost", C.LABELS_BYTES, "bytes of the entries of a set of labels, at most"},

	{"PeakFlags", C.PEAK_FLAGS, "bits below the mark in the peak at HeaderInuse"},

	{"Lifetimes", C.REGION_LIFETIMES, "classes of lifetimes that are known"},
	{"Tick", 1 << C.CLOCK_TICK_BITS, "nanoseconds: the unit of the times at which blocks were allocated"},

	{"EndingSignal", C.ENDING_SIGNAL, "the bits of a note of a signal that have its number; the others are the time, in nanoseconds"},

	{"Levels", C.REGION_LEVELS, "levels of the table of live blocks"},
	{"LevelBuckets", C.LEVEL_BUCKETS, "buckets in the first level; each has twice as many as the one before"},
	{"BucketSlots", C.BUCKET, "blocks in a bucket"},
	{"KeyReserved", C.RESERVED, "the key of a slot that is about to be used"},
	{"BlockObjectBits", C.WEIGHT_OBJECT_BITS, "of a block's objects; above them are the upper bits of born"},
	{"BlockBornBits", C.BLOCK_BORN_BITS, "of the time when a block was allocated"},
	{"BlockReported", C.BLOCK_REPORTED, "set in a block's objects: the program reported the block"},
	{"BlockLost", C.BLOCK_LOST, "set in a block's objects: the block was freed"},

	{"Filter", C.REGION_FILTER, "where the filter lies: a byte for each granule"},
	{"FilterSlots", C.REGION_FILTER_SLOTS, "bytes of the filter"},
	{"FilterGranule", 1 << C.FILTER_GRANULE_BITS, "bytes of memory that a granule stands for"},

	{"ModuleMade", C.MODULE_MADE, "the module of code that was made at run time; numbers of files are lower"},
	{"FirstObject", C.OBJECT_FIRST, "the first number of an object, which frames carry in place of a module's"},
	{"Objects", C.OBJECT_SLOTS, "numbers of objects"},
	{"RuleCache", C.CACHE_ENTRIES * C.sizeof_struct_cache_entry, "bytes of an index's cache of rules"},
	{"RowsWanted", C.ROWS_WANTED, "searches for rules in memory after which making rows pays off"},

	{"MappedProgram", C.MAPPED_PROGRAM, "the kind of a range that the program mapped"},
	{"MappedGo", C.MAPPED_GO, "the kind of a range that Go's runtime mapped"},
	{"MappedAllocator", C.MAPPED_ALLOCATOR, "the kind of a range that the allocator mapped"},
	{"MappedShared", C.MAPPED_SHARED, "a flag of a range"},
	{"MappedFile", C.MAPPED_FILE, "a flag of a range"},
	{"MappedBreak", C.MAPPED_BREAK, "a flag of a range: the program moved the end of its data segment"},
	{"MappedUnknown", C.MAPPED_UNKNOWN, "a flag of a range: whether it is shared or a file is not known"},
	{"PageBits", C.PAGE_SET_PAGE_BITS, "of an address in a page of a set"},
	{"PageCountBits", C.PAGE_SET_COUNT_BITS, "of a word of a set of pages: how many pages there are; above them is the number of the first"},
	{"MappedOpen", C.MAPPED_OPEN, "a flag of a range: the first page of a segment that shmat attached, with the segment's id as length"},
}

// structures returns package internal/layout, for a test: the numbers, and each struct with the offsets of its fields.
func structures() string {
	var b strings.Builder
	b.WriteString("// Code generated by go test ./cgo -run Region -update; DO NOT EDIT.\n\npackage layout\n\nconst (\n")
	for _, n := range numbers {
		fmt.Fprintf(&b, "\t%s = %d // %s\n", n.name, n.value, n.about)
	}
	b.WriteString(")\n\n// Counters are all counters of the C code, in the order of their numbers.\nvar Counters = [...]Counter{\n")
	for _, c := range counters() {
		fmt.Fprintf(&b, "\t{%q, %q, %v},\n", c.Name, c.Sentence, c.Loss)
	}
	b.WriteString("}\n\n// LongestLifetimes are the longest lifetime of each class that sites keep, in nanoseconds; a block counts in the first class " +
		"that it\n// fits.\nvar LongestLifetimes = [...]uint64{")
	for _, longest := range &C.cgoheap_lifetimes {
		fmt.Fprintf(&b, "%d, ", longest)
	}
	b.WriteString("}\n")
	all := slices.Clone(inRegion)
	for i := 0; i < len(all); i++ {
		prefix := camel(strings.TrimPrefix(all[i].Name(), "_Ctype_struct_"))
		fmt.Fprintf(&b, "\n// %s\nconst (\n\tSizeof%s = %d\n", nameInC(all[i]), prefix, all[i].Size())
		for _, f := range reflect.VisibleFields(all[i]) {
			if f.Name == "_" || f.Type.Size() == 0 { // padding that cgo adds; an array without a length
				continue
			}
			fmt.Fprintf(&b, "\t%s%s = %d // %s\n", prefix, camel(f.Name), f.Offset, nameInC(f.Type))
			if inner := elementOf(f.Type); inner.Kind() == reflect.Struct && !slices.Contains(all, inner) {
				all = append(all, inner)
			}
		}
		b.WriteString(")\n")
	}
	return b.String()
}

// camel turns a name in C's style into one in Go's.
func camel(name string) (camel string) {
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' }) {
		camel += strings.ToUpper(word[:1]) + word[1:]
	}
	return camel
}

func elementOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t
}

func nameInC(t reflect.Type) string {
	if t.Kind() == reflect.Array {
		return fmt.Sprintf("%s[%d]", nameInC(t.Elem()), t.Len())
	}
	if t.Kind() == reflect.Struct {
		return strings.Replace(t.Name(), "_Ctype_struct_", "struct ", 1)
	}
	return t.Kind().String()
}
