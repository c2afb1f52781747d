package symbolize

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// randomWant has lines, a reason, or a reason and a start.
func randomWant(random *rand.Rand, address uint64) want {
	w := want{address: address, lack: Reason(random.IntN(3))}
	switch random.IntN(3) {
	case 0:
		w.lines = make([]Line, 1+random.IntN(3))
		for i := range w.lines {
			w.lines[i] = Line{
				Function: randomName(random), SystemName: randomName(random), File: randomName(random),
				Line: int(random.Uint64() >> random.IntN(64)), Column: random.IntN(3), StartLine: random.Int(),
			}
		}
	case 1:
		w.start = address - uint64(random.IntN(100)) + 1
		fallthrough
	default:
		w.reason = noSymbol
	}
	return w
}

// randomName is often one that was there before, and sometimes a large one.
func randomName(random *rand.Rand) string {
	name := strings.Repeat(string(rune('a'+random.IntN(26))), random.IntN(4))
	if random.IntN(200) == 0 {
		name = strings.Repeat(name, 3000)
	}
	return name
}

func TestWhatIsRememberedIsWhatAMapOfResultsHas(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		var s store
		k := known{store: &s}
		plain := make(map[mappings.ELFAddr]Result)
		base := 0x1000 + random.Uint64()>>random.IntN(60)
		address := func() mappings.ELFAddr { return mappings.ELFAddr(base + uint64(random.IntN(10_000))) }
		for range 4 {
			var batch []uint64
			for range random.IntN(1000) {
				if a := address(); !has(plain, a) {
					batch = append(batch, uint64(a))
				}
			}
			w := newWants(batch)
			for i := range w {
				w[i] = randomWant(random, w[i].address)
				if i > 0 && random.IntN(2) == 0 {
					w[i].lines = w[i-1].lines // as neighbours in one function do
				}
				plain[mappings.ELFAddr(w[i].address)] = w[i].result()
			}
			k.add(w)
			if random.IntN(2) == 0 {
				k.compact()
				s = store{}
			}
			for range 3000 {
				a := address()
				got, ok := k.of(a)
				if want, known := plain[a]; ok != known || !reflect.DeepEqual(got, want) {
					t.Fatalf("%#x: %+v, %v, want %+v, %v", a, got, ok, want, known)
				}
			}
		}
	}
}

// A profile ends with Note. Names that are asked for afterwards are the same.
func TestAfterAProfileNamesAreOnlyBytes(t *testing.T) {
	s, m := New(Options{}), module("no such file")
	addresses := []mappings.ELFAddr{1, 2, 3}
	want := s.Resolve(m, addresses)
	s.Note(MissingCounts{})
	k := s.answers.modules[keyOf(m)]
	if k.answers != nil || k.bytes == nil {
		t.Errorf("%d answers and %d bytes are kept", len(k.answers), len(k.bytes))
	}
	if got := s.Resolve(m, addresses); !reflect.DeepEqual(got, want) || s.answers.count != 3 {
		t.Errorf("%v, want %v; %d answers are counted", got, want, s.answers.count)
	}
	s.mu.Lock() // as another profile does
	s.Note(MissingCounts{})
	if s.mu.Unlock(); k.answers == nil {
		t.Error("answers are compressed while they are in use")
	}
}

// Neighbours share their lines, and each name is there once.
func TestWhatIsExpandedTakesWhatItTook(t *testing.T) {
	var s store
	k := known{store: &s}
	w := newWants([]uint64{1, 2, 3, 4})
	w[0].lines, w[2].lines = []Line{{Function: "f", SystemName: "f"}}, []Line{{Function: "g", SystemName: "f"}}
	w[1].lines, w[3].lines = w[0].lines, w[2].lines
	k.add(w)
	k.compact()
	if k.answers != nil || len(k.bytes) == 0 {
		t.Fatalf("%d answers are kept, and %d bytes", len(k.answers), len(k.bytes))
	}
	before := &k.bytes[0]
	var got [5][]Line
	for i := range got {
		r, _ := k.of(mappings.ELFAddr(i))
		got[i] = r.Lines
	}
	if len(s.text.String()) != len("fg") || &got[1][0] != &got[2][0] || &got[3][0] != &got[4][0] || len(s.lines) != 2 {
		t.Errorf("text %q, %d lines", s.text.String(), len(s.lines))
	}
	if k.compact(); &k.bytes[0] != before {
		t.Error("what did not change is compressed again")
	}
}

func TestWhatCannotBeUnpackedHoldsNothing(t *testing.T) {
	for _, b := range [][]byte{{}, {0xff}, {4, 0, 1}} {
		k := known{store: &store{}, bytes: b}
		if _, ok := k.of(1); ok {
			t.Errorf("% x hold an answer", b)
		}
		k.add(newWants([]uint64{1}))
		if _, ok := k.of(1); !ok {
			t.Errorf("% x keep answers from being added", b)
		}
	}
}

// An answer that does not fit is looked up again, and never taken for another.
func TestAnswersThatDoNotFitAreNotRemembered(t *testing.T) {
	const first = 1 << 40
	k := known{store: &store{}}
	k.add(wants{{address: first, reason: noSymbol}})
	k.add(wants{
		{address: first - 3<<30, reason: noSymbol},
		{address: first + 1, start: first - 3<<30, reason: noSymbol},
		{address: first + 2, lines: make([]Line, 1<<16)},
		{address: first + 3, lines: make([]Line, 1<<16-1)},
		{address: first + 3<<30, reason: noSymbol},
	})
	for address, want := range map[mappings.ELFAddr]bool{
		first: true, first - 3<<30: false, first + 1: false, first + 2: false, first + 3: true, first + 3<<30: false,
		first + 1<<32: false, first - 1<<32: false,
	} {
		if _, ok := k.of(address); ok != want {
			t.Errorf("%#x: %v", address, ok)
		}
	}
}

func TestStoredNamesAndLinesStayTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var s store
	var names, wantNames []string
	var lines, wantLines [][]Line
	for i := range 3000 {
		size := random.IntN(200)
		if i%100 == 0 {
			size *= 50
		}
		name := strings.Repeat(string(rune('a'+i%26)), size)
		names, wantNames = append(names, s.name(name)), append(wantNames, name)
		list := make([]Line, 1+size/20)
		list[0] = Line{Function: name, Line: i}
		lines, wantLines = append(lines, s.keep(list...)), append(wantLines, list)
	}
	if !reflect.DeepEqual(names, wantNames) || !reflect.DeepEqual(lines, wantLines) {
		t.Error("what is kept is not what was given")
	}
	_ = append(lines[0], Line{Function: "behind"})
	if !reflect.DeepEqual(lines, wantLines) {
		t.Error("what is appended to lines overwrites their neighbours")
	}
}

func has(m map[mappings.ELFAddr]Result, a mappings.ELFAddr) bool {
	_, ok := m[a]
	return ok
}
