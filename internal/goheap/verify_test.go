//go:build !go1.28

package goheap

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"
)

func TestLayoutOfThisReleaseIsTheRuntimes(t *testing.T) {
	allocate(t)
	if before, public := untrusted(), publicRecords(); compare(before, public, untrusted()) != passed {
		t.Fatal("the layout does not fit ", runtime.Version())
	}
	if !trusted.check() {
		t.Error("it is not trusted")
	}
}

func TestLayoutIsTrustedWhileTheProgramAllocatesAndCollects(t *testing.T) {
	stop, wait := make(chan bool), sync.WaitGroup{}
	wait.Go(func() {
		for depth := 0; ; depth++ {
			select {
			case <-stop:
				return
			default:
				down(depth % 90)
				garbage()
				runtime.GC()
			}
		}
	})
	for range 30 {
		if before, public := untrusted(), publicRecords(); compare(before, public, untrusted()) != passed {
			t.Error("the layout is not trusted")
		}
	}
	close(stop)
	wait.Wait()
}

// reshaped are the records as they come out if the runtime's have their words in another order, or more or fewer of them.
func reshaped(list []layout, reshape func(words []uintptr) []uintptr) []layout {
	const words = int(unsafe.Sizeof(layout{}) / unsafe.Sizeof(uintptr(0)))
	right := unsafe.Slice((*uintptr)(unsafe.Pointer(&list[0])), len(list)*words)
	wrong := make([]uintptr, 0, 2*len(right)) // never looked into by the garbage collector
	for record := range slices.Chunk(right, words) {
		wrong = append(wrong, reshape(slices.Clone(record))...)
	}
	return unsafe.Slice((*layout)(unsafe.Pointer(&wrong[:1][0])), len(list))
}

func TestOtherLayoutsAreNotTrusted(t *testing.T) {
	allocate(t)
	right, public := untrusted(), publicRecords()
	public = public[len(public)-len(right):] // without what was allocated between
	for about, reshape := range map[string]func([]uintptr) []uintptr{
		"the first word is last":      func(w []uintptr) []uintptr { return append(w[1:], w[0]) },
		"the last word is first":      func(w []uintptr) []uintptr { return append(w[len(w)-1:], w[:len(w)-1]...) },
		"the stack is first":          func(w []uintptr) []uintptr { return append(w[len(w)-3:], w[:len(w)-3]...) },
		"the first two are exchanged": func(w []uintptr) []uintptr { w[0], w[1] = w[1], w[0]; return w },
		"the next two are exchanged":  func(w []uintptr) []uintptr { w[1], w[2] = w[2], w[1]; return w },
		"pointer and length too":      func(w []uintptr) []uintptr { n := len(w); w[n-3], w[n-2] = w[n-2], w[n-3]; return w },
		"the first word is missing":   func(w []uintptr) []uintptr { return w[1:] },
		"the last word is missing":    func(w []uintptr) []uintptr { return w[:len(w)-1] },
		"there is another word first": func(w []uintptr) []uintptr { return append([]uintptr{1}, w...) },
		"there is another word last":  func(w []uintptr) []uintptr { return append(w, 0) },
		"stacks are elsewhere":        func(w []uintptr) []uintptr { w[len(w)-3] += 8; return w },
	} {
		wrong := reshaped(right, reshape)
		if got := compare(wrong, public, wrong); got != failed {
			t.Errorf("%s: verdict %d", about, got)
		}
	}
	same := reshaped(right, func(w []uintptr) []uintptr { return w })
	if got := compare(same, public, same); got != passed {
		t.Errorf("the right layout: verdict %d", got)
	}
}

func TestStacksAreNotLookedIntoBeforeTheyArePlausible(t *testing.T) {
	allocate(t)
	right, public := untrusted(), publicRecords()
	public = public[len(public)-len(right):]
	wrong := reshaped(right, func(w []uintptr) []uintptr { n := len(w); w[n-3], w[n-2] = w[n-2], w[n-3]; return w })
	for i := range wrong { // one by one, as each of them would crash
		if got := compare(wrong[i:i+1], public[i:i+1], wrong[i:i+1]); got != failed {
			t.Fatalf("verdict %d of a stack at %p", got, unsafe.SliceData(wrong[i].Stack))
		}
	}
}

func TestNothingIsDecidedWhileNoBlockIsCounted(t *testing.T) {
	stack := []uintptr{1, 2}
	list := []layout{{Stack: stack}}
	public := []runtime.MemProfileRecord{{Stack0: [publicDepth]uintptr{1, 2}}}
	if got := compare(list, public, list); got != open {
		t.Errorf("verdict %d", got)
	}
	if got := compare(list, nil, list); got != failed {
		t.Errorf("with fewer public records: verdict %d", got)
	}
}

func TestBothRoadsLeadToTheSameRecords(t *testing.T) {
	allocate(t)
	deep, public := readDeep(), readPublic()
	public = public[len(public)-len(deep):] // without what was allocated between
	longer := 0
	for i := range deep {
		d, p := &deep[i], &public[i]
		if len(d.stack) > publicDepth {
			longer++
		}
		d.stack = d.stack[:min(len(d.stack), publicDepth)]
		if !slices.Equal(d.stack, p.stack) || d.blockSize() != p.blockSize() || d.values(512) != p.values(512) {
			t.Fatalf("%v\n%v", d, p)
		}
	}
	if longer == 0 {
		t.Errorf("none of %d stacks has more than %d frames", len(deep), publicDepth)
	}
}

func TestWithoutTrustStacksAreCutAndSaySo(t *testing.T) {
	allocate(t)
	before := trusted.verdict
	trusted.verdict = failed
	defer func() { trusted.verdict = before }()
	shallow := Read(inModule(1))
	trusted.verdict = passed
	deep := Read(inModule(1))
	if shallow.Total() != deep.Total() {
		t.Errorf("total %v, want %v", shallow.Total(), deep.Total())
	}
	if len(shallow.Losses) != 1 || shallow.Losses[0].Sentence != unknownLayoutReason {
		t.Fatalf("losses %v", shallow.Losses)
	}
	if len(deep.Losses) != 1 || deep.Losses[0].Count >= shallow.Losses[0].Count || deep.Losses[0].Sentence != cutReason {
		t.Errorf("losses %v with whole stacks, %v without", deep.Losses, shallow.Losses)
	}
}
