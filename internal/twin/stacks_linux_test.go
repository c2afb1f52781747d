//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/account"
)

// Only of a thread that did not run is it known what of its stack was in use when the copy was made, and what it has passed to the
// kernel.
func TestAStackOfAThreadThatRanIsLookedAtAsAWhole(t *testing.T) {
	at := func(start uint64, turns string, passed ...uint64) stack {
		s := stack{stackRange: stackRange{Start: start, Limit: start + 100, From: start + 50}, thread: -int(start), turns: turns}
		copy(s.passed[:], passed)
		return s
	}
	before := []stack{at(1000, "1", 7, 0, 8), at(2000, "1", 9), at(3000, "1", 10), at(5000, "", 11)}
	after := []stack{at(1000, "1", 7, 0, 8), at(2000, "2", 9), at(4000, "1", 12), at(5000, "", 11)}
	m, ran := stayed(before, after, map[int][]uint64{-1000: {13}, -2000: {14}})
	want := []stackRange{{Start: 1000, Limit: 1100, From: 1050}, {Start: 2000, Limit: 2100, From: 2000}, {Start: 3000, Limit: 3100, From: 3000},
		{Start: 4000, Limit: 4100, From: 4000}, {Start: 5000, Limit: 5100, From: 5050}}
	if !slices.Equal(m.Stacks, want) {
		t.Errorf("%v, want %v", m.Stacks, want)
	}
	if !slices.Equal(m.Registers, []uint64{7, 8, 13, 11}) || ran != 2 {
		t.Errorf("%v is in registers, and %d threads ran", m.Registers, ran)
	}
}

// waitsIn waits until a thread waits in a system call.
func waitsIn(t *testing.T, thread int, call uint64) {
	t.Helper()
	file, begin := fmt.Sprintf("/proc/self/task/%d/syscall", thread), fmt.Sprintf("%d ", call)
	for start := time.Now(); time.Since(start) < 10*time.Minute; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), begin) {
			return
		}
	}
	t.Fatalf("thread %d does not come to wait", thread)
}

// Threads wait on goroutines' stacks, and where they left their own is not known. What they have passed to the kernel holds blocks, also
// where the call ignores it, and so does each word of their own stacks. Of all that holds a block, the first that is found is its
// holder, and goroutines' stacks come later.
func TestThreadsThatWaitHoldWhatTheirStacksAndCallsHave(t *testing.T) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	const threads, passed, large = 8, 4, 1 << 20 // the loader remembers addresses in small gaps that it has left
	memory, own := mapped(t, large, unix.MAP_PRIVATE), mapped(t, large, unix.MAP_PRIVATE)
	var blocks []uint64
	for i := range uint64(threads * (passed + 1)) {
		blocks = append(blocks, memory^hidden+4096*(i+1)^hidden)
	}
	var stacks []account.Stack
	thread, ended := make(chan int), make(chan bool)
	for i := range threads {
		go func() {
			runtime.LockOSThread()
			start := own ^ hidden + uint64(i)<<16
			store(start^hidden, blocks[threads*passed+i]^hidden)
			at := blocks[passed*i:]
			thread <- unix.Gettid()
			unix.Syscall6(unix.SYS_READ, uintptr(pipe[0]), uintptr(at[0]^hidden), 8, uintptr(at[1]^hidden), uintptr(at[2]^hidden), uintptr(at[3]^hidden))
			ended <- true
		}()
		number, start := <-thread, own^hidden+uint64(i)<<16
		stacks = append(stacks, account.Stack{Range: account.Range{Start: start, Limit: start + 4096}, Thread: number})
		waitsIn(t, number, unix.SYS_READ)
	}
	defer func() {
		unix.Close(pipe[1]) // this ends the calls
		for range threads {
			<-ended
		}
		unix.Close(pipe[0])
	}()
	a := ask(t)
	a.Stacks = func() []account.Stack { return stacks }
	found, _ := look(t, &a, blocks, func(int) uint64 { return 64 })
	const registers = RootGoHeap - 1
	inCalls, onStacks := 0, 0
	for i, f := range found {
		switch {
		case i < threads*passed && f.Root == registers:
			inCalls++
		case i >= threads*passed && f.Root == RootStack && f.Holder == stacks[i-threads*passed].Start:
			onStacks++
		}
	}
	// Other words may hold some of them first: in 32 runs, none of 640. Were it one of 50, the binomial distribution would have 5 of the
	// 8 on stacks in 1.7e-7 of all runs, and 17 of the 32 in calls in 6e-21.
	if inCalls < threads*passed/2 || onStacks < threads/2 {
		t.Errorf("calls hold %d of %d blocks, and stacks %d of %d", inCalls, threads*passed, onStacks, threads)
	}
}
