//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// holdAndLose makes a leak, a cache and a queue, each of blocks of a size.
func holdAndLose(blocks int, size uintptr) {
	for range blocks {
		victim.Lose(size)
		victim.CachePut(size)
		victim.FifoPush(size)
	}
}

// freeHeld leaves nothing that a later trim would find.
func freeHeld(p *Profiler) {
	victim.FreeHeld()
	p.Trim()
}

// settled waits until blocks are so old that no register can be all that holds them.
func settled() { time.Sleep(registerHolds + 100*time.Millisecond) }

// isGlobal reports whether a holder is a variable, which has no name where go test has stripped the program.
func isGlobal(holder, name string) bool {
	return holder == "global "+name || strings.HasPrefix(holder, filepath.Base(os.Args[0])+", data ")
}

// leastProven is the least share of 200 lost blocks that must be found: what stands in memory that was not cleared may hold some.
// In a process where no other test was before, it held 0.6 on average in 100 runs, 5 at most. Were 10 to be expected, a Poisson
// distribution would have more than 120 in less than 1e-80 of all runs.
const leastProven = 0.4

func TestSuspectsSayWhatIsLostAndWhatHoldsTheRest(t *testing.T) {
	if !profiletest.Afresh(t) { // other tests leave addresses behind
		return
	}
	p := profiletest.Record(t, Start, Config{SampleBytes: 1})
	defer freeHeld(p)
	holdAndLose(200, 20_000)
	settled()
	suspect(t, p, "victim_lose") // the page is opened, and somebody comes back later
	eventually(t, "somebody looks for pointers", func() bool { return !suspect(t, p, "victim_lose").Searched.IsZero() })

	lost := suspect(t, p, "victim_lose")
	if lost.Class != "unheld" || lost.Unreachable < leastProven || lost.UnreachableError != 0 || !strings.Contains(lost.Sentence, ", no pointer found to ") ||
		!strings.Contains(lost.Sentence, " %: lost, or its pointers are hidden") && lost.Holder == "" {
		t.Errorf("%+v", lost)
	}
	cache := suspect(t, p, "victim_cache_put")
	if cache.Class != "steady" || cache.Unreachable != 0 || !isGlobal(cache.Holder, "victim_cache") || cache.Root != "" || !strings.Contains(cache.Sentence, ", reachable from ") {
		t.Errorf("%+v", cache)
	}
	queue := suspect(t, p, "victim_fifo_push")
	if queue.Class != "steady" || queue.Unreachable != 0 || queue.Holder != "a block allocated in "+queue.Function ||
		queue.Root == "" { // victim_fifo, but one stale word that points into the list may lead to most of it
		t.Errorf("%+v", queue)
	}

	t.Run("the page says so", func(t *testing.T) {
		text := askPage(p, http.MethodGet, "/debug/cgoheap/suspects", "").Body.String()
		if !strings.HasPrefix(text, "1. "+lost.Sentence) || !strings.Contains(text, "\nwhat points to the blocks was looked for at ") {
			t.Error(text)
		}
	})

	t.Run("in JSON, too", func(t *testing.T) {
		var list []map[string]any
		if err := json.Unmarshal(askPage(p, http.MethodGet, "/debug/cgoheap/suspects?format=json&search=1", "").Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		if first := list[0]; first["class"] != "unheld" || first["unreachable"].(float64) < leastProven || first["searched"] == nil || first["not_searched"] != nil {
			t.Error(first)
		}
	})

	t.Run("it was looked for once, but when somebody wanted it again", func(t *testing.T) {
		before := suspect(t, p, "victim_lose").Searched
		if !before.After(lost.Searched) {
			t.Error("search=1 did not look")
		}
		if now := suspect(t, p, "victim_lose").Searched; now != before {
			t.Errorf("%v, then %v", before, now)
		}
	})

	t.Run("what a view finds is known", func(t *testing.T) {
		before := suspect(t, p, "victim_cache_put")
		for _, view := range []string{"unreachable", "heldby"} {
			if w := profiletest.Ask(p.Handler(), "view="+view); w.Code != http.StatusOK {
				t.Fatal(w.Body)
			}
			if now := suspect(t, p, "victim_cache_put"); !now.Searched.After(before.Searched) || now.Holder != before.Holder {
				t.Errorf("%s: %+v", view, now)
			}
		}
	})
}

// seems is a number in a variable, and complement is how the test knows the list.
var seems, complement uintptr

// A list that is lost, but for a word that has the address of a byte in the midst of its first block, may be held by a number, where the
// heap lies low. One that has the address of the block is a pointer.
func TestWhatANumberMayHoldIsLeftOpen(t *testing.T) {
	p := profiletest.Record(t, Start, Config{SampleBytes: 1})
	made := make(chan bool)
	go func() { // its stack is gone afterwards
		complement = ^uintptr(victim.MallocList(10_000, 100))
		close(made)
	}()
	<-made
	defer func() {
		seems, complement = 0, ^complement
		victim.FreeList(*(*unsafe.Pointer)(unsafe.Pointer(&complement)))
	}()
	settled()
	const said, noted = "or only from numbers that look like pointers, as malloc's heap lies below 4 GiB", "words hold "
	low := ^complement < 1<<32
	for distance, want := range map[uintptr]bool{57: low, 0: false} {
		seems = ^complement + distance
		if err := p.SearchSuspects(); err != nil {
			t.Fatal(err)
		}
		got := suspect(t, p, "victim_malloc_list")
		if got.Holder == "" || strings.Contains(got.Sentence, said) != want {
			t.Errorf("held by a word %d bytes behind its first: %s", distance, got.Sentence)
		}
		text := profiletest.Ask(p.Handler(), "view=heldby&debug=1").Body.String()
		if strings.Contains(text, noted) != want {
			t.Errorf("held by a word %d bytes behind its first, a note says so: %t\n%.2000s", distance, !want, text)
		}
	}
}

// numbers may be anything, such as where records begin in a file.
var numbers []int64

// A table of numbers may hold as many blocks; a table of pointers to a field of each holds them for sure.
func TestWhatATableOfNumbersMayHoldIsLeftOpen(t *testing.T) {
	p := profiletest.Record(t, Start, Config{SampleBytes: 1})
	complements := make([]uintptr, 2000)
	for i := range complements {
		block := victim.Malloc(3000)
		clear(unsafe.Slice((*byte)(block), 3000)) // of pointers of earlier blocks
		complements[i] = ^uintptr(block)
	}
	defer func() {
		numbers = nil
		for _, c := range complements {
			c = ^c
			victim.Free(*(*unsafe.Pointer)(unsafe.Pointer(&c)))
		}
	}()
	settled()
	for name, distance := range map[string]func(i int) uintptr{
		"first byte": func(int) uintptr { return 0 }, "field": func(int) uintptr { return 1016 }, "anywhere": func(i int) uintptr { return uintptr(1 + i*1000%2999) },
	} {
		numbers = make([]int64, len(complements))
		for i, c := range complements {
			numbers[i] = int64(^c + distance(i))
		}
		settled()
		if err := p.SearchSuspects(); err != nil {
			t.Fatal(err)
		}
		got := suspect(t, p, "victim_malloc")
		want := name == "anywhere" && ^complements[0] < 1<<32
		if got.Holder == "" || strings.Contains(got.Sentence, "or only from numbers that look like pointers") != want {
			t.Errorf("%s: %s", name, got.Sentence)
		}
		clear(numbers)
	}
}

// Where there is no room for a copy, verdicts are as before, and say why.
func TestSuspectsWithoutACopy(t *testing.T) {
	proc := t.TempDir()
	for name, text := range map[string]string{"meminfo": "MemAvailable: 1024 kB\n", "self/status": "VmPTE: 100 kB\nRssAnon: 100000 kB\n"} {
		path := filepath.Join(proc, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	was := running
	running = usage.Kernel{Proc: proc}
	p := profiletest.Record(t, Start, Config{SampleBytes: 1})
	defer func() {
		p.search.Stop()
		running = was
	}()
	defer freeHeld(p)
	holdAndLose(50, 20_000)
	settled()
	suspect(t, p, "victim_lose")

	const why = "no copy of the process was made: the machine has 1.0 MiB left"
	if err := p.SearchSuspects(); err == nil || !strings.Contains(err.Error(), why) {
		t.Error(err)
	}
	for _, name := range []string{"victim_lose", "victim_cache_put", "victim_fifo_push"} {
		if got := suspect(t, p, name); got.Class != "steady" || !got.Searched.IsZero() || !strings.Contains(got.NotSearched, why) {
			t.Errorf("%+v", got)
		}
	}
	if text := askPage(p, http.MethodGet, "/debug/cgoheap/suspects?search=1", "").Body.String(); !strings.Contains(text, "\nit is not known whether anything points to the blocks: at ") ||
		!strings.Contains(text, why) {
		t.Error(text)
	}
	if w := askPage(p, http.MethodGet, "/debug/cgoheap/suspects?search=maybe", ""); w.Code != http.StatusBadRequest {
		t.Error(w.Code, w.Body)
	}
}

// A leak that grows, beside a queue and a cache that do, is told from them as soon as there are moments.
func TestALeakIsToldFromACache(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	p := profiletest.Record(t, Start, Config{SampleBytes: 1})
	defer freeHeld(p)
	holdAndLose(50, 20_000)
	settled()
	for begin := time.Now(); suspect(t, p, "victim_lose").Moments < 4; time.Sleep(time.Second) {
		if time.Since(begin) > 10*time.Minute {
			t.Fatal("no moments are kept")
		}
		holdAndLose(5, 20_000)
	}
	if err := p.SearchSuspects(); err != nil {
		t.Fatal(err)
	}
	list, err := p.Suspects()
	if err != nil {
		t.Fatal(err)
	}
	first := list[0]
	if first.Class != "unheld" || !strings.Contains(strings.Join(first.Stack, " "), "victim_lose") || !strings.Contains(first.Sentence, ": grows ") ||
		!strings.Contains(first.Sentence, "no pointer found to ") || !strings.Contains(first.Sentence, ": lost, or its pointers are hidden; it does not grow steadily, or not for long enough to tell") {
		t.Errorf("%+v", first)
	}
	for _, name := range []string{"victim_cache_put", "victim_fifo_push"} {
		if got := suspect(t, p, name); got.Class == "unheld" || got.Growth <= 0 || !strings.Contains(got.Sentence, ", reachable from ") {
			t.Errorf("%+v", got)
		}
	}
	t.Log(sentences(list))
}
