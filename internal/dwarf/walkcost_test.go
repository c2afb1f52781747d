package dwarf

import (
	"bytes"
	"slices"
	"sync/atomic"
	"testing"
)

func TestWhoHasSpentAllMaySpendNoMore(t *testing.T) {
	b := budget{all: new(atomic.Int64)}
	if !b.spend(stepLimit) || !b.spend(1) {
		t.Error("the limit itself may be spent")
	}
	b.spend(budgetShare)
	if b.spend(1) || b.spend(budgetShare) || !b.exhausted() {
		t.Error("more than the limit may be spent")
	}
	if unlimited := (*budget)(nil); !unlimited.spend(2 * stepLimit) {
		t.Error("no budget is a limit")
	}
}

// many are addresses in a row.
func many(count int) (addresses []uint64) {
	for i := range count {
		addresses = append(addresses, 0x1000+uint64(i))
	}
	return addresses
}

// wanted is how many addresses the tests below ask for, in a unit that has one more.
const wanted = 1 << 14

func TestASearchGivesUpOnFunctionsThatAllCoverAllAddresses(t *testing.T) {
	function := appendRange(little.AppendUint32([]byte{namedCode}, 0), 0x1000, wanted)
	const enough = 2 * stepLimit / (wanted * coverSteps)
	entries := append(appendRange([]byte{rootCode}, 0x1000, wanted+1), bytes.Repeat(function, enough)...)
	mustBeTooBig(t, handmade(inMemory{
		".debug_info": unitBytes(append(entries, 0)), ".debug_abbrev": handmadeAbbrevs, ".debug_str": {'f', 0},
	}), many(wanted+1)) // the walk does not end before the last has a function
}

func TestASearchGivesUpOnRowsThatAllCoverAllAddresses(t *testing.T) {
	const enough = 2 * stepLimit / (wanted * coverSteps)
	row := [3]uint64{9, 0x1000, 0x1000 + wanted}
	mustBeTooBig(t, handmade(inMemory{
		".debug_info":   unitBytes(appendRange(little.AppendUint32([]byte{1}, 0), 0x1000, wanted)),
		".debug_abbrev": linedAbbrevs,
		".debug_line":   lineBytes(slices.Repeat([][3]uint64{row}, enough)...),
	}), many(wanted))
}

func TestASearchGivesUpOnUnitsThatAllCoverAllAddresses(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	unit := unitBytes(appendRange([]byte{rootCode}, 0x1000, wanted))
	const enough = 2 * stepLimit / (wanted * wantSteps)
	mustBeTooBig(t, handmade(inMemory{
		".debug_info": bytes.Repeat(unit, enough), ".debug_abbrev": handmadeAbbrevs,
	}), many(wanted))
}

func TestAbbreviationsThatAUnitPassesArePaidFor(t *testing.T) {
	const passed = 1 << 12
	abbrevs := append(bytes.Repeat([]byte{2, 0x34, 0, 0, 0}, passed), handmadeAbbrevs...)
	r := newReader(new(atomic.Int64))
	f := &file{units: []header{{encoding: encoding{4, 8, 4}}}}
	f.sections[secAbbrev].Bytes = abbrevs
	if _, ok := r.rootAbbrev(f, &f.units[0], rootCode); !ok || r.budget.total() < passed*abbrevSteps {
		t.Errorf("found %v, %d steps", ok, r.budget.total())
	}
	before := r.budget.total()
	if r.unit(f, &f.units[0]); r.budget.total()-before < passed*abbrevSteps {
		t.Errorf("%d steps for the whole table", r.budget.total()-before)
	}
}
