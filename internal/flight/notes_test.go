package flight

import (
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/stack"
)

// room returns memory for notes.
func room() []byte {
	words := make([]uint64, allWords)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), Size)
}

func recordAt(second int) (r Record) {
	r.Time, r.Old = time.Unix(int64(second), 5), uint64(second)
	for f := range r.Values {
		r.Values[f] = int64(second*100 + f)
	}
	return r
}

func TestRecordsAreReadAsTheyWereNoted(t *testing.T) {
	for _, count := range []int{0, 1, 2, 99, 100, 101, 250} {
		r := ring{new(uint64), make([]uint64, 100*slotWords)}
		var want []Record
		for i := 1; i <= count; i++ {
			record := recordAt(i)
			r.put(uint64(i), &record)
			want = append(want, record)
		}
		want = want[max(0, count-100):]
		if diff := cmp.Diff(want, r.records()); diff != "" {
			t.Errorf("%d records (-want +got):\n%s", count, diff)
		}
	}
}

// The process may be killed between any two stores.
func TestARecordThatIsNotWholeIsLeftOut(t *testing.T) {
	whole := ring{new(uint64), make([]uint64, 3*slotWords)}
	for i := 1; i <= 5; i++ {
		record := recordAt(i)
		whole.put(uint64(i), &record)
	}
	cut := ring{whole.last, slices.Clone(whole.words)}
	cut.slot(4)[0] = 0
	want := []Record{recordAt(3), recordAt(5)}
	if diff := cmp.Diff(want, cut.records()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	cut.slot(4)[0] = 5 // a number that belongs elsewhere
	if diff := cmp.Diff(want, cut.records()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, last := range []uint64{0, 1 << 63, 1<<64 - 1} { // overwritten
		if got := (ring{&last, cut.words}).records(); len(got) > 0 {
			t.Errorf("with %d as the last number: %+v", last, got)
		}
	}
}

func heapOf(stacks int, frames int) stack.Profile {
	p := stack.Profile{SampleBytes: 512 << 10, Time: time.Unix(1000, 7)}
	for i := range stacks {
		s := stack.Sample{BlockSize: int64(i % 50), Values: stack.Values{AllocObjects: 2, AllocBytes: int64(2 * i), InuseObjects: 1, InuseBytes: int64(i)}}
		for f := range frames {
			s.Frames = append(s.Frames, stack.NewFrame(1, uint64(0x400000+i*100+f)))
		}
		p.Samples = append(p.Samples, s)
	}
	return p
}

func TestTheHeapIsNotedByItsLargestStacks(t *testing.T) {
	for _, stacks := range []int{0, 1, 100, 100_000} {
		n := New(room())
		p := heapOf(stacks, 20)
		want := p.Total()
		n.heaps[1].put(1, &p)
		heap, ok := n.HeapUntil(Latest)
		if !ok || heap.SampleBytes != p.SampleBytes || !heap.Time.Equal(p.Time) {
			t.Fatalf("%d stacks: %v, %+v", stacks, ok, heap)
		}
		got := heap.Total()
		got.Add(heap.Rest)
		if got != want {
			t.Errorf("%d stacks: %+v, want %+v", stacks, got, want)
		}
		if diff := cmp.Diff(p.Samples[:len(heap.Samples)], heap.Samples); diff != "" && stacks > 0 { // put has sorted them
			t.Errorf("%d stacks (-want +got):\n%s", stacks, diff)
		}
		if kept := len(heap.Samples); stacks <= 100 && kept != stacks || stacks > 100 && (kept < 1000 || heap.Rest == stack.Values{}) {
			t.Errorf("%d of %d stacks are kept, rest %+v", kept, stacks, heap.Rest)
		}
	}
}

func TestOneOfTwoHeapsIsWhole(t *testing.T) {
	n := New(room())
	first, second := heapOf(3, 2), heapOf(5, 2)
	n.heaps[1].put(1, &first)
	n.heaps[0].put(2, &second)
	if heap, ok := n.HeapUntil(Latest); !ok || len(heap.Samples) != 5 {
		t.Errorf("%v, %+v", ok, heap)
	}
	n.heaps[0].words[0] = 0 // killed while the second was noted
	if heap, ok := n.HeapUntil(Latest); !ok || len(heap.Samples) != 3 {
		t.Errorf("%v, %+v", ok, heap)
	}
	n.heaps[1].words[3] = 1 << 62
	if heap, ok := n.HeapUntil(Latest); ok {
		t.Errorf("%+v", heap)
	}
}

// What is overwritten while it is copied may be half of each.
func TestNotesThatChangeAfterACopyAreLeftOutOfIt(t *testing.T) {
	memory := room()
	n := New(memory)
	put := func(first, last int) {
		for i := first; i <= last; i++ {
			record, heap := recordAt(i), heapOf(i%3+1, 1)
			n.seconds.put(uint64(i), &record)
			n.minutes.put(uint64(i), &record)
			n.heaps[i%2].put(uint64(i), &heap)
		}
	}
	put(1, minuteSlots)
	words := slices.Clone(wordsOf(memory))
	put(minuteSlots+1, minuteSlots+1)
	cut := notesIn(words)
	cut.DropChanged(n)
	if s, m := cut.Seconds(), cut.Minutes(); len(s) != secondSlots-1 || s[0] != recordAt(minuteSlots-secondSlots+2) || len(m) != minuteSlots-1 || m[0] != recordAt(2) {
		t.Errorf("%d and %d records, the first of %v and %v", len(s), len(m), s[0].Time, m[0].Time)
	}
	if first, second := cut.heaps[0].number(), cut.heaps[1].number(); first != minuteSlots || second != 0 {
		t.Errorf("heaps %d and %d", first, second)
	}
}

func TestTheHeapUntilATime(t *testing.T) {
	n := New(room())
	at := func(second int64) time.Time { return time.Unix(second, 0) }
	for number, second := range []int64{1: 10, 2: 20} {
		if number > 0 {
			heap := heapOf(1, 1)
			heap.Time = at(second)
			n.heaps[number%2].put(uint64(number), &heap)
		}
	}
	for end, want := range map[int64]int64{9: 0, 10: 10, 19: 10, 20: 20, 30: 20} {
		if heap, ok := n.HeapUntil(at(end)); ok != (want > 0) || ok && !heap.Time.Equal(at(want)) {
			t.Errorf("until %d: %v, %v", end, ok, heap.Time)
		}
	}
}

func TestNotesAreOpenedWhereTheyAre(t *testing.T) {
	memory := room()
	if n := Open(memory); n != nil {
		t.Error("notes in empty memory")
	}
	record := recordAt(7)
	New(memory).seconds.put(1, &record)
	if diff := cmp.Diff([]Record{record}, Open(memory).Seconds()); diff != "" {
		t.Error(diff)
	}
	if Open(memory[:Size-8]) != nil || Open(append(memory, 0)) != nil || Open(nil) != nil {
		t.Error("notes of another size")
	}
	memory[3]++
	if Open(memory) != nil {
		t.Error("notes of another layout")
	}
}

// What is not known is null.
func TestATimelineInJSON(t *testing.T) {
	r := recordAt(2)
	r.Values[MallocFree] = Unknown
	text, err := json.Marshal(NewTimeline([]Record{r}, nil))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Columns []struct{ Name string }
		Seconds [][]*int64
		Minutes [][]*int64
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Columns) != 1+int(Fields) || got.Columns[1+Native].Name != "native" || got.Minutes == nil {
		t.Errorf("%+v", got)
	}
	row := got.Seconds[0]
	if *row[0] != 2000 || *row[1+Native] != 200+int64(Native) || row[1+MallocFree] != nil || len(row) != len(got.Columns) {
		t.Errorf("%s", text)
	}
}

// Whatever the memory of a dead process has, reading it ends, and takes no more memory than there is.
func FuzzNotes(f *testing.F) {
	f.Add(uint64(1), []byte{})
	f.Fuzz(func(t *testing.T, seed uint64, changes []byte) {
		memory := room()
		n := New(memory)
		record, p := recordAt(1), heapOf(50, 5)
		n.seconds.put(1, &record)
		n.heaps[1].put(1, &p)
		random := rand.New(rand.NewPCG(seed, 1))
		for ; len(changes) >= 4; changes = changes[4:] {
			at := 8 + uint64(binary.NativeEndian.Uint32(changes))%uint64(Size-16)
			if random.IntN(2) == 0 { // the heap's head
				at = uint64(Size-8*heapWords) + at%256
			}
			binary.NativeEndian.PutUint64(memory[at&^7:], random.Uint64()>>random.IntN(64))
		}
		n = Open(memory)
		if got := len(n.Seconds()) + len(n.Minutes()); got > secondSlots+minuteSlots {
			t.Errorf("%d records", got)
		}
		frames := 0
		heap, _ := n.HeapUntil(Latest)
		for _, s := range heap.Samples {
			frames += len(s.Frames)
		}
		if frames > heapWords {
			t.Errorf("%d frames", frames)
		}
	})
}
