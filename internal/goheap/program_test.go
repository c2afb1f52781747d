package goheap

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// held keeps in use what the program allocates.
var held struct {
	sync.Mutex
	all []any
}

//go:noinline
func hold(v any) {
	held.Lock()
	defer held.Unlock()
	held.all = append(held.all, v)
}

// release lets go of the last n.
func release(n int) {
	held.Lock()
	defer held.Unlock()
	keep := len(held.all) - n
	clear(held.all[keep:])
	held.all = held.all[:keep]
}

func inlinedTwice(n int) []byte { return inlinedOnce(n) }
func inlinedOnce(n int) []byte  { return make([]byte, n) }

//go:noinline
func inlined() {
	for range 20 {
		hold(inlinedTwice(40_000))
	}
}

// down allocates under that many frames of its own, of which every second is inlined into the other.
//
//go:noinline
func down(depth int) {
	if depth == 0 {
		hold(make([]int32, 1<<19)) // so large that it is sampled at any rate
		return
	}
	step(depth)
}

func step(depth int) { down(depth - 1) }

type pair[K comparable, V any] struct {
	key   K
	value [3000]V
}

//go:noinline
func generic[K comparable, V any](key K, value V) {
	for range 10 {
		hold(&pair[K, V]{key, [3000]V{value}})
	}
}

type holder interface{ hold() }

type inner struct{ n int }

func (i inner) hold() { hold(make([]uint16, i.n)) }

// outer's method hold is a wrapper that the compiler writes.
type outer struct{ *inner }

//go:noinline
func garbage() {
	for i := range 4000 {
		hold(make([]byte, 1<<10+i%3<<10))
	}
	release(4000)
}

// grow allocates inside the runtime: maps, strings, slices that grow, channels, closures, goroutines.
//
//go:noinline
func grow() {
	table := map[string][]string{}
	var text strings.Builder
	for i := range 3000 {
		key := fmt.Sprint("key ", i)
		table[key] = append(table[key], strings.Repeat("x", i%300))
		text.WriteString(key)
	}
	hold(table)
	hold(text.String() + "!")
	hold(make(chan [100]int, 1000))
	hold(func() any { return table })
}

//go:noinline
func elsewhere() {
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { down(3) })
	}
	wait.Wait()
	done := make(chan bool)
	runtime.AddCleanup(&pair[int, int]{}, func(n int) {
		inner{n}.hold()
		close(done)
	}, 50_000)
	runtime.GC()
	<-done
}

// allocate does all that and waits until the runtime has published it. From then on nothing is collected: until the test is
// over, the heap profile stays as it is.
func allocate(t testing.TB) {
	t.Helper()
	inlined()
	for _, depth := range []int{0, 1, 10, 25, 50, 100, 100, 100} {
		down(depth)
	}
	generic("a", int64(1))
	generic("a", new(int))
	generic(int8(1), 1.5)
	for _, h := range []holder{inner{50_000}, outer{&inner{60_000}}} {
		h.hold()
	}
	reflect.ValueOf(inner{70_000}.hold).Call(nil)
	garbage()
	grow()
	elsewhere()
	publish(t)
}

func publish(t testing.TB) {
	t.Helper()
	runtime.GC()
	runtime.GC()
	before := setGCPercent(-1)
	t.Cleanup(func() { setGCPercent(before) })
}
