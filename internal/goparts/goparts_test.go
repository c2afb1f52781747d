//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package goparts

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/metrics"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/gospans"
	"github.com/cgoheap/cgoheap/internal/profiletest"
)

func goLayout(t *testing.T) gospans.Layout {
	t.Helper()
	l, err := gospans.Find()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// askedGo returns what a copy of the process found.
func askedGo(t *testing.T, addresses ...uint64) answer {
	t.Helper()
	a, err := ask(goLayout(t), addresses...)
	if err != nil {
		t.Fatal(err)
	}
	if !a.known || a.arenas == 0 {
		t.Fatalf("Go's memory was not understood: %d arenas", a.arenas)
	}
	sort.Slice(a.parts, func(i, j int) bool { return a.parts[i].Start < a.parts[j].Start })
	for i := 1; i < len(a.parts); i++ {
		if a.parts[i].Start < a.parts[i-1].Limit {
			t.Fatalf("parts overlap: %+v, %+v", a.parts[i-1], a.parts[i])
		}
	}
	return a
}

// covers reports whether all of a range lies in parts of one kind.
func (a *answer) covers(start, size uint64, stack bool) bool {
	i := sort.Search(len(a.parts), func(i int) bool { return a.parts[i].Limit > start })
	for limit := start + size; start < limit; i++ {
		if i == len(a.parts) || a.parts[i].Start > start || a.parts[i].Stack != stack {
			return false
		}
		start = a.parts[i].Limit
	}
	return true
}

// object is one of Go's heap, whose address no pointer has if kept is nil.
type object struct {
	hidden, size uint64
	kept         unsafe.Pointer
}

const hide = 1 << 63 // no pointer looks so

func (o object) at() uint64 { return o.hidden &^ hide }

// makeObject allocates an object of one of a few kinds.
//
//go:noinline
func makeObject(kind int, size int) object {
	var p unsafe.Pointer
	switch kind {
	case 0:
		p = unsafe.Pointer(unsafe.SliceData(make([]byte, size)))
	case 1:
		p = unsafe.Pointer(unsafe.SliceData(make([]*byte, (size+7)/8)))
	case 2:
		p = unsafe.Pointer(unsafe.SliceData(make([]struct{ s string }, (size+15)/16)))
	default:
		p = unsafe.Pointer(unsafe.SliceData(make([]uintptr, (size+7)/8)))
	}
	return object{uint64(uintptr(p)) | hide, uint64(size), p}
}

// makeObjects allocates objects of all sizes; those that keep is false for can then be collected.
//
//go:noinline
func makeObjects(n int, keep func(i int) bool) (all []object) {
	random := rand.New(rand.NewPCG(16, 1))
	all = make([]object, n)
	for i := range all {
		size := 16 + random.IntN(1<<(4+random.IntN(11)))
		if i%500 == 0 {
			size = 33<<10 + random.IntN(2<<20)
		}
		all[i] = makeObject(random.IntN(4), size)
		if !keep(i) {
			all[i].kept = nil
		}
	}
	return all
}

func TestEveryObjectOfGosHeapIsSeen(t *testing.T) {
	all := makeObjects(20000, func(int) bool { return true })
	var small []*byte
	for i := range 1000 {
		b := byte(i)
		small = append(small, &b) // several share one place
	}
	table := map[int]*int{}
	for i := range 1000 {
		table[i] = &[]int{i}[0]
	}
	for range 3 {
		a := askedGo(t)
		for i, o := range all {
			if !a.covers(o.at(), o.size, false) {
				t.Fatalf("object %d of %d bytes at %#x is in no part", i, o.size, o.at())
			}
		}
		for i := range small {
			if at := uint64(uintptr(unsafe.Pointer(small[i]))); !a.covers(at, 1, false) {
				t.Fatalf("small object %d at %#x is in no part", i, at)
			}
			if at := uint64(uintptr(unsafe.Pointer(table[i]))); !a.covers(at, 8, false) {
				t.Fatalf("value %d of a map at %#x is in no part", i, at)
			}
		}
		runtime.GC()
	}
	runtime.KeepAlive(all)
	runtime.KeepAlive(small)
	runtime.KeepAlive(table)
}

func TestCollectedObjectsOfGosHeapAreNotSeen(t *testing.T) {
	profiletest.WithoutCollections(t)
	all := makeObjects(20000, func(i int) bool { return i%3 == 0 })
	dropped := func() (seen, of int) {
		a := askedGo(t)
		for i, o := range all {
			if i%3 == 0 {
				if !a.covers(o.at(), o.size, false) {
					t.Fatalf("object %d of %d bytes at %#x is in no part", i, o.size, o.at())
				}
				continue
			}
			if of++; a.covers(o.at(), o.size, false) {
				seen++
			}
		}
		return seen, of
	}
	before, of := dropped()
	runtime.GC()
	runtime.GC()
	after, _ := dropped()
	t.Logf("of %d objects that nothing points to, %d were seen before a collection, %d after it", of, before, after)
	// What was allocated since may lie in some of the places: in 6 of 13,333 at most, in 32 runs. Were 50 to be expected, a Poisson
	// distribution would have more than 133 in 7e-23 of all runs.
	if before < of || after > of/100 {
		t.Errorf("of %d objects, %d are seen before they are collected, %d afterwards", of, before, after)
	}
	runtime.KeepAlive(all)
}

// The runtime counts the same bytes.
func TestAsMuchOfGosHeapIsSeenAsTheRuntimeCounts(t *testing.T) {
	all := makeObjects(20000, func(i int) bool { return i%3 == 0 })
	profiletest.WithoutCollections(t)
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	a := askedGo(t)
	var seen uint64
	for _, p := range a.parts {
		if !p.Stack {
			seen += p.Limit - p.Start
		}
	}
	want := sample[0].Value.Uint64()
	t.Logf("seen %d bytes, the runtime counts %d", seen, want)
	if seen < want*98/100 || seen > want*102/100 {
		t.Errorf("%d bytes of objects are seen, the runtime counts %d", seen, want)
	}
	runtime.KeepAlive(all)
}

// waiter is a goroutine that waits, as deep as it was asked to.
type waiter struct {
	local, below uint64 // addresses of a variable in use, and of one in a frame that has returned
	id           uint64
	leave        chan struct{}
}

//go:noinline
func (w *waiter) touch(depth int) uint64 {
	var local [64]uint64
	local[depth%64] = uint64(depth)
	if depth == 0 {
		return uint64(uintptr(unsafe.Pointer(&local)))
	}
	return w.touch(depth-1) + local[(depth+1)%64]
}

//go:noinline
func (w *waiter) wait(depth int, ready chan<- *waiter) uint64 {
	var local uint64
	if depth > 0 {
		return w.wait(depth-1, ready) + local
	}
	_ = w.touch(20) // has grown the stack for the next
	w.below, w.local = w.touch(20), uint64(uintptr(unsafe.Pointer(&local)))
	text := make([]byte, 64)
	_, _ = fmt.Sscanf(string(text[:runtime.Stack(text, false)]), "goroutine %d ", &w.id)
	ready <- w
	<-w.leave
	runtime.KeepAlive(&local)
	return local
}

func beginWaiters(n int) (all []*waiter, entry uintptr) {
	ready := make(chan *waiter, n)
	leave := make(chan struct{})
	var f func()
	for i := range n {
		f = func() { (&waiter{leave: leave}).wait(i*i%300, ready) }
		go f()
	}
	for range n {
		all = append(all, <-ready)
	}
	return all, reflect.ValueOf(f).Pointer()
}

// awaitWaiting returns when all of them have left their processors, with their stack pointers where the runtime keeps them.
func awaitWaiting(t *testing.T, all []*waiter) {
	t.Helper()
	text := make([]byte, 8<<20)
	for deadline := time.Now().Add(10 * time.Minute); ; runtime.Gosched() {
		stacks := string(text[:runtime.Stack(text, true)])
		if !slices.ContainsFunc(all, func(w *waiter) bool {
			return !strings.Contains(stacks, fmt.Sprintf("goroutine %d [chan receive", w.id))
		}) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("some do not wait:\n", stacks)
		}
	}
}

func TestTheStacksOfGoroutinesAreSeenFromTheirStackPointers(t *testing.T) {
	profiletest.WithoutCollections(t)
	all, entry := beginWaiters(200)
	defer close(all[0].leave)
	var addresses []uint64
	for _, w := range all[:16] {
		addresses = append(addresses, w.local)
	}
	awaitWaiting(t, all)
	a := askedGo(t, addresses...)
	below := 0
	for _, w := range all {
		if !a.covers(w.local, 8, true) {
			t.Errorf("a variable of goroutine %d at %#x is in no part", w.id, w.local)
		}
		if a.covers(w.below, 8, true) {
			below++
		}
	}
	if below > 2 {
		t.Errorf("of %d frames that have returned, %d are seen", len(all), below)
	}
	for i, g := range a.stacks {
		created := runtime.FuncForPC(uintptr(g.created))
		if g.id != all[i].id || uintptr(g.start) != entry || created == nil || !strings.HasSuffix(created.Name(), ".beginWaiters") ||
			all[i].local < g.used || all[i].local >= g.hi || g.used <= g.lo || all[i].below >= g.used {
			t.Errorf("the goroutine at %#x is %+v, want the id %d, %#x", all[i].local, g, all[i].id, entry)
		}
	}
}

// The goroutine that makes the copy is in a call of C, and so is its frame.
func TestTheStackOfAGoroutineThatCallsCIsSeen(t *testing.T) {
	profiletest.WithoutCollections(t)
	askedGo(t) // the stack has grown
	var own [4]uint64
	at := uint64(uintptr(unsafe.Pointer(&own)))
	if a := askedGo(t, at); !a.covers(at, 32, true) || a.stacks[0].used <= a.stacks[0].lo || a.stacks[0].used > at {
		t.Errorf("a variable at %#x is not in the part in use of %+v", at, a.stacks[0])
	}
	runtime.KeepAlive(&own)
}

func TestOtherMemoryIsNoGoroutinesStack(t *testing.T) {
	all, _ := beginWaiters(1)
	close(all[0].leave)
	o := makeObject(1, 1000)
	var global = uint64(uintptr(unsafe.Pointer(&runtime.MemProfileRate)))
	for i, s := range askedGo(t, o.at()+999, global, 8, 1<<63).stacks {
		if s != (stack{}) {
			t.Errorf("address %d lies in the stack %+v", i, s)
		}
	}
	runtime.KeepAlive(o.kept)
}

func TestAnUnknownLayoutOfGosMemoryIsSaidToBe(t *testing.T) {
	for _, spoil := range []func(l *gospans.Layout){
		func(l *gospans.Layout) { *l = gospans.Layout{} },
		func(l *gospans.Layout) { l.Goroutines = 0 },
		func(l *gospans.Layout) { l.Lists = 0 },
		func(l *gospans.Layout) { l.Lists -= 24 },
	} {
		l := goLayout(t)
		spoil(&l)
		if a, err := ask(l); err != nil || a.known {
			t.Errorf("%+v is known: %v", l, err)
		}
	}
}

// The program allocates, collects, and begins and ends goroutines meanwhile.
func TestGosHeapIsSeenWhileItChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	stop := make(chan struct{})
	done := make(chan struct{})
	const busy = 4
	for range busy {
		go func() {
			defer func() { done <- struct{}{} }()
			for {
				select {
				case <-stop:
					return
				default:
				}
				makeObjects(500, func(i int) bool { return i%2 == 0 })
				all, _ := beginWaiters(20)
				close(all[0].leave)
			}
		}()
	}
	kept := makeObjects(5000, func(int) bool { return true })
	waiters, _ := beginWaiters(100)
	for round := range 100 {
		a := askedGo(t)
		missing := slices.IndexFunc(kept, func(o object) bool { return !a.covers(o.at(), o.size, false) })
		if missing >= 0 {
			t.Fatalf("round %d: object %d of %d bytes is in no part", round, missing, kept[missing].size)
		}
	}
	close(stop)
	for range busy {
		<-done
	}
	close(waiters[0].leave)
	runtime.KeepAlive(kept)
}
