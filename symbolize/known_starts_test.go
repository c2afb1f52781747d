package symbolize

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// randomEntries are ascending: near to each other and far, some of them at one distance, in two tables.
func randomEntries(random *rand.Rand, count int) (entries []entry) {
	far := uint64(1) << random.IntN(33)
	for range count {
		distance := uint64(random.IntN(1 << 20))
		if random.IntN(4) == 0 {
			distance = random.Uint64N(far)
		}
		for range 1 + random.IntN(2) {
			table, number := uint64(random.IntN(2)), uint64(random.IntN(3*count))
			entries = append(entries, entry(distance<<32|table<<numberBits|number))
		}
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}

func TestPackedStartsAreThoseOfTheEntries(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round, count := range []int{0, 1, 2, 3, 50, 300, 1000, 30_000, 60_000, 200_000} {
		entries := randomEntries(random, count)
		g := newGroups(entries, 2)
		packed := newStarts(slices.Clone(entries), g)
		checkStarts(t, &packed, g, entries)
		for range 2000 {
			distance := random.Uint64N(1 << (1 + random.IntN(34)))
			if len(entries) > 0 && random.IntN(2) == 0 {
				distance = entries[random.IntN(len(entries))].distance() + uint64(random.IntN(3)) - 1
			}
			plain, _ := slices.BinarySearch(entries, entry(min(distance, 1<<32-1)<<32))
			if distance >= 1<<32 {
				plain = len(entries)
			}
			at := packed.first(distance)
			if at == packed.len() && plain == len(entries) {
				continue
			}
			if at == packed.len() || plain == len(entries) || packed.distance(at) != entries[plain].distance() {
				t.Fatalf("round %d: of distance %#x, entry %d of %d, %d of %d", round, distance, plain, len(entries), at, packed.len())
			}
		}
	}
}

// checkStarts compares all that is packed with the entries. Those of one group and one distance are one.
func checkStarts(t *testing.T, packed *starts, g groups, entries []entry) {
	t.Helper()
	if bound := 1 << halfBits; len(g.first) > 0 && g.first[len(g.first)-1] > bound {
		t.Fatalf("%d groups, want at most %d", g.first[len(g.first)-1], bound)
	}
	i := -1
	for n, e := range entries {
		if n == 0 || entries[n-1].distance() != e.distance() || g.of(entries[n-1]) != g.of(e) {
			i++
		}
		table, first, end := g.at(packed.group(i))
		if packed.distance(i) != e.distance() || table != e.table() || e.number() < first || e.number() >= end {
			t.Fatalf("entry %x is number %d of %d: distance %#x, table %d, %d to %d", e, i, packed.len(), packed.distance(i), table, first, end)
		}
	}
	if i+1 != packed.len() {
		t.Fatalf("%d starts, want %d", packed.len(), i+1)
	}
}

// So many functions that a group has several.
func TestATableOfManySymbolsAnswersAsAListOfThemDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	code := spans{{0x1000, 0x2000_0000}}
	symbols := make([]elffile.Symbol, 200_000)
	all := make([]symbol, len(symbols))
	for i := range symbols {
		s := &symbols[i]
		*s = elffile.Symbol{Name: fmt.Sprintf("f%d", i), Value: 0x1000 + 16*random.Uint64N(150_000), Size: 16 * random.Uint64N(4)}
		if i%100 == 0 {
			s.Value += random.Uint64N(0x1000_0000)
		}
		all[i] = symbol{name: s.Name, span: span{s.Value, s.Value + s.Size}}
	}
	fast, slow := tableOf(code, listed{whole: true, symbols: symbols}), newSlowTable(all, code)
	if fast.groups.sizeBits == 0 {
		t.Fatal("each group has one function")
	}
	for range 2000 {
		address := 0x1000 + random.Uint64N(16*150_000)
		if random.IntN(4) == 0 {
			address = symbols[random.IntN(len(symbols))].Value + random.Uint64N(32)
		}
		if got, want := nameAt(fast, address), slow.covering(address); got != want {
			t.Fatalf("%#x: %q, want %q", address, got, want)
		}
	}
}

func TestAFileOfManyFunctionsIsNamedByItsGroups(t *testing.T) {
	need(t, "gcc")
	dir := t.TempDir()
	source, library := filepath.Join(dir, "many.s"), filepath.Join(dir, "many.so")
	var text strings.Builder
	text.WriteString("\t.text\n")
	const functions = 1<<halfBits + 1000
	for i := range functions {
		fmt.Fprintf(&text, "\t.type f%[1]d, @function\nf%[1]d:\n\t.skip 8, 0x90\n\t.size f%[1]d, 8\n", i)
	}
	if err := os.WriteFile(source, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-shared", "-nostdlib", "-o", library, source)
	s := New(Options{})
	addresses := every(8*97, everyByte(t, library))
	first := addresses[0]
	for i, result := range s.Resolve(module(library), addresses) {
		want := fmt.Sprintf("f%d", (addresses[i]-first)/8)
		if len(result.Lines) != 1 || result.Lines[0].Function != want {
			t.Fatalf("%#x: %+v, want %q", addresses[i], result, want)
		}
	}
	for _, x := range s.indexes.modules {
		if x.groups.sizeBits == 0 || x.starts.len() != functions {
			t.Errorf("%d functions, in groups of %d", x.starts.len(), 1<<x.groups.sizeBits)
		}
	}
	if len(s.indexes.modules) != 1 || len(addresses) < 600 {
		t.Errorf("%d indexes, %d addresses", len(s.indexes.modules), len(addresses))
	}
}
