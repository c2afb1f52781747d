package holders

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// nameAll names blocks of one byte each, without stacks, in a process of which nothing is known but what the caller sets.
func nameAll(t *testing.T, p Process, found []Found) (names []string, named *Named) {
	t.Helper()
	if p.Names = symbolize.New(symbolize.Options{}); p.Kernel.Proc == "" {
		p.Kernel.Proc = t.TempDir()
	}
	if p.Module == nil {
		p.Module = func(stack.ModuleID) *mappings.Module { return nil }
	}
	var memory scratch.Memory
	defer memory.Free()
	named = Name(&p, &Blocks{
		Count: len(found), Found: func(i int) Found { return found[i] }, Bytes: func(int) uint64 { return 1 },
		Stack: func(i int) uint32 { return uint32(i) }, Frames: func(uint32) []stack.Frame { return nil },
	}, &memory)
	for i := range found {
		names = append(names, named.Holders[named.Of[i]].Name)
	}
	return names, named
}

func TestFindingsThatCannotBe(t *testing.T) {
	names, _ := nameAll(t, Process{}, []Found{
		{Holder: 1, Through: 1 << 31, Root: GoHeap}, {Holder: 8, Root: Data, RootWord: 1<<64 - 1}, {Root: 200}, {Holder: 8, Through: 4, Root: Registers, Thread: -3},
		{NotLooked: true, Root: Data, RootWord: 8, Through: 9}, {Root: GoStack, Entry: 1<<64 - 1},
	})
	want := []string{"Go's heap", "memory that is mapped no more", "nothing", "a block of unknown origin", "not looked for", "stack of a goroutine"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAMappingIsIsSaidAsFarAsItIsKnown(t *testing.T) {
	p := Process{Kernel: usage.Kernel{Proc: t.TempDir()}}
	maps := p.Kernel.Path("maps")
	if err := errors.Join(os.MkdirAll(filepath.Dir(maps), 0o755), os.WriteFile(maps, []byte("10000-50000 rw-p 00000000 00:00 0 \n"+
		"50000-60000 rw-p 00000000 00:00 0                          [anon:pool]\n60000-70000 rw-s 00000000 00:01 7 /memfd:x (deleted)\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for i, kind := range []account.Kind{account.Go, account.Allocator, account.Program} {
		start := uint64(i+1) << 16
		p.Mapped = append(p.Mapped, account.Mapping{Mapped: account.Mapped{Range: account.Range{Start: start, Limit: start + 1<<16}, Kind: kind}})
	}
	var found []Found
	for at := uint64(1); at <= 7; at++ {
		found = append(found, Found{Root: Mapping, Holder: at << 16, RootWord: at << 16})
	}
	names, named := nameAll(t, p, found)
	want := []string{"Go's heap, or other memory of its runtime", "malloc's memory, or a block that was not recorded", suspects.Unknown, suspects.Unknown, "mapping [anon:pool]", "mapping /memfd:x",
		"memory that is mapped no more"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if detail := named.Holders[named.Of[3]].Detail; detail != "anonymous mapping of 256 KiB" {
		t.Error(detail)
	}
	p.InGoHeap = func(address uint64) bool { return address>>16 == 3 || address>>16 == 5 || address>>16 == 7 }
	names, _ = nameAll(t, p, append(found, Found{Root: Mapping, Holder: 1<<16 + 8, RootWord: 1<<16 + 8}))
	want = []string{"memory of Go's runtime", want[1], "Go's heap", want[3], "Go's heap", want[5], want[6], "memory of Go's runtime"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestWhatGoKeepsHasANoteIfMoreIsKnown(t *testing.T) {
	crowd := []Waiting{{Entry: 16, Place: "main.f (a.go:1)", Number: 99}, {Entry: 16, Place: "main.g (a.go:2)", Number: 1}}
	found := []Found{
		{Root: GoStack, Entry: 16}, {Root: GoStack, Entry: 16, InGo: true}, {Root: Finalizer, InGo: true}, {Root: Cycle, InGo: true}, {Root: GoOther, InGo: true},
		{Root: Garbage, InGo: true}, {Root: GoHeap}, {Root: Cycle, Through: 1, InGo: true},
	}
	for i, want := range [][]string{
		{"stack of a goroutine", "stack of a goroutine, through Go's heap", "a finalizer or cleanup, which has not run yet", "a finalizer or cleanup, which never runs, because it keeps its own object",
			"Go's runtime, such as a timer or a finalizer that waits for its turn", "garbage of Go's heap, which was not collected yet", "Go's heap",
			"a block of unknown origin < a finalizer or cleanup, which never runs, because it keeps its own object"},
		{"stack of a goroutine", "stack of a goroutine, through Go's heap", "a finalizer or cleanup, which has not run yet", "a finalizer or cleanup, which never runs, because it keeps its own object",
			"Go's runtime, such as a timer or a finalizer that waits for its turn, with 3 running in main.stuck (b.go:3)", "garbage of Go's heap, which was not collected yet", "Go's heap",
			"a block of unknown origin < a finalizer or cleanup, which never runs, because it keeps its own object"},
	} {
		waiting := append(crowd[:2:2], [][]Waiting{nil, {{Entry: 32, Place: "main.stuck (b.go:3)", Ends: true, Number: 3}}}[i]...)
		_, named := nameAll(t, Process{Waiting: func(*scratch.Memory) []Waiting { return waiting }}, found)
		var got []string
		for _, of := range named.Of {
			h := named.Holders[of]
			text := h.Name
			if h.Root != "" {
				text += " < " + h.Root
			}
			if h.Note != "" {
				text += ", " + h.Note
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	for number, want := range map[int]string{99: "", 100: "one of 100 that hold recorded blocks, and most like it are in main.f (a.go:1)"} {
		if got := ofCrowd(crowd, 16, number); got != want {
			t.Errorf("of %d goroutines it says %q, want %q", number, got, want)
		}
	}
	crowd[1].Number = 99
	if got := ofCrowd(crowd, 16, 200); got != "one of 200 that hold recorded blocks" {
		t.Errorf("of those that are at different places it says %q", got)
	}
}

// A library that was loaded later has its thread-local variables in blocks of the allocator, which may be recorded.
func TestAWordOfThreadLocalStorageInABlockIsNoWordOfTheBlock(t *testing.T) {
	storage := account.ThreadLocal{Range: account.Range{Start: 0x10000, Limit: 0x10100}, Bias: 0x7000}
	found := []Found{{Holder: 0x10008, Through: 2, Root: GoHeap}, {Holder: 8, Root: GoHeap}, {Holder: 0x10108, Through: 2, Root: GoHeap}}
	names, named := nameAll(t, Process{Threads: []account.Thread{{Storage: []account.ThreadLocal{storage}}}}, found)
	if diff := cmp.Diff([]string{"thread-local storage of a thread", "Go's heap", "a block of unknown origin"}, names); diff != "" {
		t.Error(diff)
	}
	if in, behind := named.Holders[named.Of[0]].Root, named.Holders[named.Of[2]].Root; in != "" || behind != "Go's heap" {
		t.Errorf("a chain through the storage begins in %q, through what is behind it in %q", in, behind)
	}
}

func TestPlacesAreThoseOfASlowSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var list []place
		for i := range random.IntN(20) {
			start := uint64(random.IntN(200))
			list = append(list, place{Range: account.Range{Start: start, Limit: start + uint64(random.IntN(30))}, which: int32(i)})
		}
		slow := slices.Clone(list)
		slices.SortStableFunc(slow, func(a, b place) int { return int(a.Start) - int(b.Start) })
		fast := newSorted(list)
		for at := range uint64(240) {
			want := slices.IndexFunc(slow, func(p place) bool { return p.Start <= at && at < p.Limit })
			got := fast.at(at)
			if (got != nil) != (want >= 0) {
				t.Fatalf("%d in %+v: %+v", at, slow, got)
			}
		}
	}
}

func TestNamesAreBounded(t *testing.T) {
	var p Process
	var found []Found
	for i := range 5 * mostHolders {
		stack := account.Range{Start: uint64(i+1) << 20, Limit: uint64(i+2) << 20}
		p.Threads = append(p.Threads, account.Thread{Number: 0, Stack: stack, Control: stack.Limit - 4096})
		p.Mapped = append(p.Mapped, account.Mapping{})
		for range 1 + i%3 {
			found = append(found, Found{Root: Stack, RootWord: stack.Start + 8})
		}
		found = append(found, Found{Root: Stack, RootWord: stack.Limit - 8}, Found{})
	}
	names, named := nameAll(t, p, found)
	if len(named.Holders) != 3 || names[0] != "stack of a thread" || names[2] != Nothing || names[1] != "thread-local storage of a thread" {
		t.Errorf("%d names: %q", len(named.Holders), names[:3])
	}
	var d Named
	list, bytes := []Holder(nil), []uint64(nil)
	for i := range 3 * mostHolders {
		list = append(list, Holder{Name: fmt.Sprint("global v", i)}, Holder{Name: fmt.Sprint("stack of thread ", i), Root: "x"})
		bytes = append(bytes, uint64(i), 0)
	}
	list, bytes = append(list, Holder{Name: Nothing}), append(bytes, 0)
	numbers := d.bound(list, bytes)
	if len(d.Holders) != mostHolders+3 {
		t.Errorf("%d names", len(d.Holders))
	}
	for i, h := range list {
		got := d.Holders[numbers[i]]
		if want := bytes[i] >= 2*mostHolders || h.Name == Nothing; (got == h) != want {
			t.Fatalf("%v with %d bytes is %v", h, bytes[i], got)
		}
		if got != h && got.Name != coarse(&h) {
			t.Fatalf("%v is %v", h, got)
		}
	}
}

func TestNamesOfManyWordsTakeLittleMemory(t *testing.T) {
	const words = 300_000
	found := make([]Found, words)
	for i := range found {
		found[i] = Found{Root: Data, RootWord: 1<<32 + uint64(i)*8}
	}
	var names int
	allocated := testing.AllocsPerRun(1, func() {
		_, named := nameAll(t, Process{}, found)
		names = len(named.Holders)
	})
	if perWord := allocated / words; names != 1 || perWord > 1 { // the list of names in this test has none of its own
		t.Errorf("%d names, %.1f allocations for each word", names, perWord)
	}
}

func TestCleanNames(t *testing.T) {
	for name, want := range map[string]string{
		"worker": "worker", "a\nb\x00\x1b": "a?b??", "\xff\xfe": "??", "größe": "größe", "": "", "\u202e": "?", // turns writing around
	} {
		if got := clean(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{strings.Repeat("a", 1000), strings.Repeat("ö", 1000), strings.Repeat("€", 67), strings.Repeat("😀", 300)} {
		if got := clean(name); len(got) > longest+len("…") || !utf8.ValidString(got) || !strings.HasPrefix(name, strings.TrimSuffix(got, "…")) {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
}
