package holders

import (
	"runtime"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

//go:noinline
func rest(begun chan<- uint64, leave <-chan bool, _ string) {
	begun <- entryOf()
	<-leave
}

// entryOf returns the address of the function that the calling goroutine began in, that of the compiler's if there is one.
//
//go:noinline
func entryOf() uint64 {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	var last runtime.Frame
	for f, more := frames.Next(); more && f.Function != "runtime.goexit"; f, more = frames.Next() {
		last = f
	}
	return uint64(last.Entry)
}

func TestGoroutinesAreCountedWhereTheyWait(t *testing.T) {
	begun, leave := make(chan uint64), make(chan bool)
	defer close(leave)
	const count = 130
	var entry uint64
	for i := range count {
		if i%2 == 0 {
			go rest(begun, leave, "an argument")
		} else {
			go func() { rest(begun, leave, "none") }()
		}
		entry = <-begun
	}
	runtime.Gosched()
	var memory scratch.Memory
	defer memory.Free()
	list := Goroutines(&memory)
	sum, own := 0, false
	for _, w := range list {
		if strings.Contains(w.Place, "holders.rest (goroutines_test.go:") {
			sum += w.Number
			own = own || w.begins(entry)
		}
		if w.Ends {
			t.Errorf("%+v runs finalizers", w)
		}
	}
	if sum != count || !own {
		t.Errorf("%d of %d goroutines are where they wait, by the first function: %v; of %+v", sum, count, own, list)
	}
}

// The compiler makes a function for a go statement with arguments, which calls the one that it names.
func TestTheFunctionOfAGoStatementIsFound(t *testing.T) {
	made := uint64(0)
	for pc := codeOf(t, "holders.TestGoroutinesAreCountedWhereTheyWait"); made == 0; pc++ {
		if f := runtime.FuncForPC(uintptr(pc)); f == nil {
			t.Fatal("no function of a go statement follows")
		} else if strings.Contains(f.Name(), "TestGoroutinesAreCountedWhereTheyWait.gowrap") {
			made = uint64(f.Entry())
		}
	}
	targets := calledBy(made)
	if len(targets) != 1 || runtime.FuncForPC(uintptr(targets[0])).Name() != "github.com/cgoheap/cgoheap/internal/holders.rest" {
		t.Errorf("it calls %x", targets)
	}
	if targets := calledBy(uint64(runtime.FuncForPC(uintptr(targets[0])).Entry())); targets != nil {
		t.Errorf("a function of the program's calls %x", targets)
	}
}

// codeOf returns the address of this test's file's function with a name.
func codeOf(t *testing.T, name string) uint64 {
	t.Helper()
	pc, _, _, _ := runtime.Caller(1)
	for at := pc; at > pc-1<<16; at-- {
		if f := runtime.FuncForPC(at); f != nil && strings.HasSuffix(f.Name(), name) {
			return uint64(f.Entry())
		}
	}
	t.Fatal(name, "is not found")
	return 0
}
