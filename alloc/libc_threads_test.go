//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/testonly"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
)

const (
	deepThreads = 100
	deepStack   = 256 << 10 // all of them together are less than what glibc keeps
	deepTouch   = 128 << 10
)

// startDeep starts threads whose stacks are known.
func startDeep(t *testing.T) (*victim.Deep, [][2]uint64) {
	t.Helper()
	d, err := victim.StartDeep(deepThreads, deepStack, deepTouch)
	if err != nil {
		t.Fatal(err)
	}
	return d, d.Bounds()
}

// residentIn asks the kernel page by page. What is not mapped is not resident.
func residentIn(t *testing.T, all [][2]uint64) (bytes int64) {
	t.Helper()
	for _, b := range all {
		vec := make([]byte, (b[1]-b[0])/pageBytes)
		if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(b[0]), uintptr(b[1]-b[0]), uintptr(unsafe.Pointer(&vec[0]))); errno != 0 {
			continue
		}
		for _, page := range vec {
			bytes += int64(page&1) * int64(pageBytes)
		}
	}
	return bytes
}

// match fails unless each of the stacks is one of libc's, with at most a guard below, and no other covers it. It returns the numbers of
// their threads.
func match(t *testing.T, all [][2]uint64) (threads []int) {
	t.Helper()
	return matchAmong(t, libcStacks(), all)
}

func matchAmong(t *testing.T, stacks []account.Stack, all [][2]uint64) (threads []int) {
	t.Helper()
	const guard = 64 << 10
	for _, b := range all {
		var over []account.Stack
		for _, s := range stacks {
			if s.Start < b[1] && b[0] < s.Limit {
				over = append(over, s)
			}
		}
		if len(over) != 1 || over[0].Start > b[0] || over[0].Limit < b[1] || over[0].Limit-over[0].Start > deepStack+guard {
			t.Fatalf("the stack %x is in %+v, of %d", b, over, len(stacks))
		}
		threads = append(threads, over[0].Thread)
	}
	return threads
}

func stackLines(t *testing.T, r *Recording) (running, ended, unknown int64) {
	t.Helper()
	a, err := r.AccountNow(usage.Running, nil)
	if err != nil || a.Err != nil {
		t.Fatal(err, a)
	}
	for _, l := range a.Lines {
		switch l.Name {
		case account.Stacks:
			running = l.Resident
		case account.StacksEnded:
			ended = l.Resident
		case account.CallerUnknown:
			unknown = l.Resident
		}
	}
	return running, ended, unknown
}

// awaitEnd waits until no thread of these numbers is left.
func awaitEnd(threads []int) {
	for _, thread := range threads {
		for unix.Tgkill(os.Getpid(), thread, 0) == nil {
			time.Sleep(time.Millisecond)
		}
	}
}

// Two roads to each stack: libc's own lists, and what pthread_getattr_np says in the thread itself. What others have, such as the
// threads of the Go runtime, may change a little in between.
func TestStacksOfThreads(t *testing.T) {
	const others = 2 << 20
	r := start(t, everything)
	running, ended, unknown := stackLines(t, r)
	d, bounds := startDeep(t)
	threads := match(t, bounds)
	for _, thread := range threads {
		if thread == 0 || unix.Tgkill(os.Getpid(), thread, 0) != nil {
			t.Errorf("there is no thread %d", thread)
		}
	}
	truth := residentIn(t, bounds)
	gotRunning, gotEnded, gotUnknown := stackLines(t, r)
	if truth < deepThreads*deepTouch || gotRunning < truth || gotRunning > truth+running+others || gotEnded > ended+others || gotUnknown > unknown+others {
		t.Errorf("%d are known: stacks %d, ended %d, unknown %d; before: %d, %d, %d", truth, gotRunning, gotEnded, gotUnknown, running, ended, unknown)
	}
	d.Leave()
	awaitEnd(threads)
	if !victim.StacksKept() { // musl takes a thread off its list at its end
		d.Join()
		return
	}
	endedNow(t, r, bounds, "not joined")
	d.Join()
	endedNow(t, r, bounds, "joined")
}

// endedNow fails unless the stacks are those of ended threads.
func endedNow(t *testing.T, r *Recording, bounds [][2]uint64, about string) {
	t.Helper()
	for _, thread := range match(t, bounds) {
		if thread != 0 {
			t.Errorf("%s: thread %d", about, thread)
		}
	}
	truth := residentIn(t, bounds)
	if _, ended, _ := stackLines(t, r); truth < deepThreads*int64(pageBytes) || ended < truth || ended > truth+1<<20 {
		t.Errorf("%s: %d are known, the line has %d", about, truth, ended)
	}
}

// Threads begin and end while libc's lists are read. Those that stay are there each time.
func TestListsOfThreadsThatChange(t *testing.T) {
	start(t, everything)
	d, bounds := startDeep(t)
	defer d.Join()
	defer d.Leave()
	var stop atomic.Bool
	done := make(chan error)
	go func() {
		var err error
		for !stop.Load() && err == nil {
			err = victim.BriefThreads(100, 10)
		}
		done <- err
	}()
	for range 200 {
		var stacks []account.Stack
		eventually(t, "the lists could be read", func() bool { stacks = libcStacks(); return len(stacks) > 0 })
		matchAmong(t, stacks, bounds[:5])
	}
	stop.Store(true)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestStacksWithoutLibcsLists(t *testing.T) {
	r := start(t, everything)
	testonly.AllowBounds(false)
	defer testonly.AllowBounds(true)
	d, bounds := startDeep(t)
	defer d.Join()
	defer d.Leave()
	if stacks := libcStacks(); stacks != nil {
		t.Errorf("%d stacks", len(stacks))
	}
	if running, _, _ := stackLines(t, r); running < residentIn(t, bounds)/2 {
		t.Errorf("the stacks of threads that wait have %d, want %d", running, residentIn(t, bounds)/2)
	}
}

// The time for a list is bounded, however long it is, and however often it changes.
func TestListsOfThreadsHaveABudget(t *testing.T) {
	start(t, everything)
	d, _ := startDeep(t)
	defer d.Join()
	defer d.Leave()
	onMadeThread(func() {
		for budget, want := range map[int]bool{deepThreads / 2: false, 100 * deepThreads: true} {
			stacks, _, o := readLibcStacks(&budget)
			if ok := o == listsRead; ok != want || (len(stacks) >= deepThreads) != want || !ok && o != unreadable {
				t.Errorf("%d stacks, outcome %d, and %d left to read; want %t", len(stacks), o, budget, want)
			}
		}
	})
}

// On a busy machine a thread of musl's may run for milliseconds before it is linked.
func TestListsAreReadOnceTheyCanBe(t *testing.T) {
	for _, c := range []struct {
		outcomes    []outcome // the last one again and again
		tries       int
		read, pause bool
	}{
		{[]outcome{listsRead}, 1, true, false},
		{[]outcome{unreadable}, 1, false, false},
		{[]outcome{changedMeanwhile, changedMeanwhile, listsRead}, 3, true, false},
		{[]outcome{changedMeanwhile}, listTries, false, false},
		{[]outcome{notYetLinked, notYetLinked, unreadable}, 3, false, true},
		{[]outcome{notYetLinked}, listTries, false, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin, tries := time.Now(), 0
			read := repeat(func() outcome { tries++; return c.outcomes[min(tries, len(c.outcomes))-1] })
			if paused := time.Since(begin); read != c.read || tries != c.tries || (paused > 0) != c.pause || paused > 60*time.Millisecond {
				t.Errorf("%v: %t after %d tries and %v", c.outcomes, read, tries, paused)
			}
		})
	}
}

// TestNothingBehindAStackIsRead has a file of holes behind a control block that ends with its page: who reads there fills it.
func TestNothingBehindAStackIsRead(t *testing.T) {
	file, err := unix.MemfdCreate("behind", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(file)
	if err := unix.Ftruncate(file, int64(pageBytes)); err != nil {
		t.Fatal(err)
	}
	both, err := unix.MmapPtr(-1, 0, nil, uintptr(2*pageBytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.MunmapPtr(both, uintptr(2*pageBytes)) }()
	end := unsafe.Add(both, pageBytes)
	if _, err := unix.MmapPtr(file, 0, end, uintptr(pageBytes), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_FIXED); err != nil {
		t.Fatal(err)
	}
	const control = 2304
	budget := mostNodes
	l := threadList{budget: &budget, words: control - 16}
	if l.findGlibc(uint64(uintptr(end)) - control) {
		t.Error("a control block of zeroes is in a list")
	}
	var state unix.Stat_t
	if err := unix.Fstat(file, &state); err != nil {
		t.Fatal(err)
	}
	if state.Blocks != 0 {
		t.Errorf("the page behind a control block was read: it has %d blocks", state.Blocks)
	}
}
