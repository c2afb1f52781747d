//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/gospans"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// The addresses of blocks are kept here with a bit changed, far from all that is mapped, so that what a test remembers holds no block.
const hidden = 1 << 46

// mapped maps memory and returns its hidden address.
func mapped(t *testing.T, size int, flags int) uint64 {
	t.Helper()
	at, _, errno := unix.Syscall6(unix.SYS_MMAP, 0, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, uintptr(flags|unix.MAP_ANONYMOUS), ^uintptr(0), 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	kept := uint64(at) ^ hidden
	t.Cleanup(func() { unix.Syscall(unix.SYS_MUNMAP, uintptr(kept^hidden), uintptr(size), 0) })
	return kept
}

// store stores a value at a hidden address.
func store(at, value uint64) {
	address := uintptr(at ^ hidden)
	*(*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&address))) = value
}

func ask(t *testing.T) Ask {
	t.Helper()
	a := Ask{Reach: true, StackRoom: 8, Kernel: usage.Running, Stacks: func() []account.Stack { return nil }}
	layout, err := gospans.Find()
	if err != nil {
		t.Fatal(err)
	}
	a.Go = layout
	return a
}

// look looks for blocks at hidden addresses, which pass through a stack that is gone then.
func look(t *testing.T, a *Ask, at []uint64, size func(i int) uint64) ([]Found, Report) {
	t.Helper()
	w, err := New(a, len(at))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Free()
	filled := make(chan bool)
	go func() {
		defer close(filled)
		for i := range at {
			w.Blocks[i] = Block{At: at[i] ^ hidden, Size: size(i)}
		}
	}()
	<-filled
	release, err := Acquire(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	r, err := Look(w, a)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(w.Found), r
}

// graph is a random graph of blocks, and words of roots, with what points to what.
type graph struct {
	at    []uint64 // hidden
	sizes []uint64
	edges [][]int
	roots []int    // blocks
	words []uint64 // hidden addresses of the words that point to them
}

// pointer returns a value that points to a block: to its start or into it, with tags in the lowest bits, or to its start with others in
// the highest.
func (g *graph) pointer(i int, r *rand.Rand) uint64 {
	at := g.at[i] ^ hidden
	switch r.IntN(4) {
	case 0:
		return at
	case 1:
		return at + r.Uint64N(g.sizes[i])
	case 2:
		return at + r.Uint64N(min(8, g.sizes[i]))
	}
	return at | (1+r.Uint64N(1<<16-1))<<48
}

// decoy returns a value that points to no block: into one, but not to its first word, with tags in the highest bits.
func (g *graph) decoy(i int, r *rand.Rand) uint64 {
	if g.sizes[i] <= 8 {
		return 0
	}
	return (g.at[i] ^ hidden) + 8 + r.Uint64N(g.sizes[i]-8) | (1+r.Uint64N(1<<16-1))<<48
}

func (g *graph) reachable() []bool {
	reached := make([]bool, len(g.at))
	todo := append([]int(nil), g.roots...)
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !reached[i] {
			reached[i] = true
			todo = append(todo, g.edges[i]...)
		}
	}
	return reached
}

// makeGraph makes blocks in a mapping, with gaps of nothing that looks like pointers.
func makeGraph(t *testing.T, r *rand.Rand, blocks int) *graph {
	g := &graph{edges: make([][]int, blocks)}
	memory := mapped(t, blocks*400, unix.MAP_PRIVATE)
	at := memory ^ hidden
	for range blocks {
		size := 8 + 8*r.Uint64N(40)
		if r.IntN(4) == 0 {
			size -= r.Uint64N(8) // a last word that is no whole one
		}
		g.at, g.sizes = append(g.at, at^hidden), append(g.sizes, size)
		at += (size+7)&^7 + 8*r.Uint64N(4)
	}
	for i := range blocks {
		for word := uint64(0); word+8 <= g.sizes[i]; word += 8 {
			if value := r.Uint64(); r.IntN(24) == 0 {
				to := r.IntN(blocks)
				g.edges[i] = append(g.edges[i], to)
				store(((g.at[i]^hidden)+word)^hidden, g.pointer(to, r))
			} else if r.IntN(24) == 0 {
				store(((g.at[i]^hidden)+word)^hidden, g.decoy(r.IntN(blocks), r))
			} else if r.IntN(2) == 0 {
				store(((g.at[i]^hidden)+word)^hidden, value%100_000)
			}
		}
	}
	return g
}

func (g *graph) root(at uint64, r *rand.Rand) {
	i := r.IntN(len(g.at))
	g.roots, g.words = append(g.roots, i), append(g.words, at)
	store(at, g.pointer(i, r))
}

// fewStrays are the blocks whose addresses may still stand on a stack, where signals save registers. In 288 cases it was two at most.
// Were 4 to be expected, a Poisson distribution would have more than 20 in 2e-9 of all cases, of which the tests have 9.
const fewStrays = 20

// strays makes roots of those blocks that a word of nobody's holds, and fails the test if there are many.
func (g *graph) strays(t *testing.T, found []Found) {
	t.Helper()
	n := 0
	for i, f := range found {
		if f.Holder != 0 && f.Through == 0 && !slices.Contains(g.words, f.Holder^hidden) {
			g.roots = append(g.roots, i)
			n++
		}
	}
	if n > fewStrays {
		t.Errorf("%d blocks are held by no word that was made for it", n)
	}
}

func TestWhatIsReachableIsWhatASearchOfTheGraphFinds(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		a := ask(t)
		var g *graph
		whole := make(chan bool)
		go func() { // with a stack of its own, too
			defer close(whole)
			g = makeGraph(t, r, 20_000)
			private, shared := mapped(t, 1<<20, unix.MAP_PRIVATE), mapped(t, 1<<20, unix.MAP_SHARED)
			for i := range uint64(100) {
				g.root(((private^hidden)+i*4096+8*r.Uint64N(512))^hidden, r)
				g.root(((shared^hidden)+i*4096+8*r.Uint64N(512))^hidden, r)
			}
		}()
		<-whole
		found, _ := look(t, &a, g.at, func(i int) uint64 { return g.sizes[i] })
		g.strays(t, found)
		want, count := g.reachable(), 0
		for i := range found {
			if (found[i].Holder != 0) != want[i] {
				t.Errorf("seed %d: the block %d: held by %#x through %d, root %d at %#x; want reachable %t", seed, i,
					found[i].Holder, found[i].Through, found[i].Root, found[i].RootWord, want[i])
				if count++; count > 5 {
					t.FailNow()
				}
			}
			if f := &found[i]; f.Holder != 0 && slices.Contains(g.words, f.RootWord^hidden) && f.Root != RootMapping {
				t.Errorf("the block %d has a root of the kind %d", i, f.Root)
			}
		}
		n := 0
		for _, is := range want {
			if is {
				n++
			}
		}
		t.Logf("%d of %d blocks are reachable", n, len(want))
	}
}

var led uint64

// Every word that is said to hold a block must point to it.
func TestHoldersPointToWhatTheyHold(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	a := ask(t)
	var g *graph
	whole := make(chan bool)
	go func() {
		defer close(whole)
		g = makeGraph(t, r, 5000)
		roots := mapped(t, 1<<20, unix.MAP_PRIVATE)
		for i := range uint64(100) {
			g.root(((roots^hidden)+i*4096)^hidden, r)
		}
	}()
	<-whole
	led = g.at[len(g.at)-1] ^ hidden // a variable leads to a block, which is followed before stacks and mappings are looked at
	defer func() { led = 0 }()
	found, _ := look(t, &a, g.at, func(i int) uint64 { return g.sizes[i] })
	if f := found[len(found)-1]; f.Holder != uint64(uintptr(unsafe.Pointer(&led))) || f.Through != 0 || f.Root != RootData {
		t.Errorf("the block that a variable leads to is held by %#x, through %d, root %d", f.Holder, f.Through, f.Root)
	}
	within := func(address uint64, i int) bool {
		return address&(1<<48-1) >= g.at[i]^hidden && address&(1<<48-1) < (g.at[i]^hidden)+max(g.sizes[i], 8)
	}
	for i, f := range found {
		if f.Through == 0 && !slices.Contains(g.words, f.Holder^hidden) {
			continue
		}
		holder := uintptr(f.Holder)
		if value := *(*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&holder))); !within(value, i) {
			t.Fatalf("the word at %#x holds the block %d at %#x, and contains %#x", f.Holder, i, g.at[i]^hidden, value)
		}
		if f.Through != 0 && !within(f.Holder, int(f.Through-1)) {
			t.Fatalf("the word at %#x should lie in the block %d", f.Holder, f.Through-1)
		}
	}
}

var (
	smalls    []*[1]uint64 // Go puts two into one place, and sees no pointers in them
	lastSmall *[1]uint64   // the last one that was dropped
	garbage   *[3]uint64   // of the last one that was made
)

// forget has a function run on a stack that is gone then, and Go's garbage of before collected.
func forget(f func()) {
	runtime.GC()
	runtime.GC()
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// dropSmalls leaves nothing behind that another test could take for its own, whose blocks lie at the same addresses.
func dropSmalls() {
	smalls = nil
	forget(func() {})
}

// What one of Go's smallest objects leads to is held by what points to that object. One that was dropped stays as long as another in the
// same place: what it leads to is told as that, after all else that is in use, and before garbage.
func TestGosSmallestObjectsComeLast(t *testing.T) {
	const (
		kept      = iota // by a small object that is in use
		dropped          // an object beside one that is in use
		elsewhere        // and held by other memory as well
		through          // held by the block of a dropped one
		kinds
	)
	defer dropSmalls()
	for _, named := range []bool{false, true} {
		a := ask(t)
		if named {
			at := uint64(uintptr(unsafe.Pointer(&smalls)))
			a.Variables = []account.Range{{Start: at, Limit: at + 24}}
		}
		const blocks = 80 * kinds
		memory, other := mapped(t, blocks*64, unix.MAP_PRIVATE), mapped(t, blocks*64, unix.MAP_PRIVATE)
		at := make([]uint64, blocks)
		inGarbage := func(i int) bool { return i/kinds%2 == 0 }
		forget(func() {
			for i := range at {
				at[i] = ((memory ^ hidden) + 64*uint64(i)) ^ hidden
				switch i % kinds {
				case kept:
					smalls = append(smalls, &[1]uint64{at[i] ^ hidden})
				case dropped, elsewhere:
					lastSmall = &[1]uint64{at[i] ^ hidden}
					smalls = append(smalls, &[1]uint64{7})
				case through:
					store(at[i-2], at[i]^hidden)
				}
				if i%kinds == elsewhere {
					store(((other^hidden)+64*uint64(i))^hidden, at[i]^hidden)
				}
				if inGarbage(i) && i%kinds < elsewhere {
					garbage = &[3]uint64{at[i] ^ hidden}
				}
			}
			lastSmall, garbage = nil, nil
		})
		found, _ := look(t, &a, at, func(int) uint64 { return 64 })
		strays := 0
		for i, f := range found {
			root, before := RootGoHeap|RootSmallest, uint32(0)
			switch {
			case i%kinds == elsewhere:
				root = RootMapping
			case !named && inGarbage(i):
				root = RootGoHeap
			case named && i%kinds == kept:
				root = RootData | RootInGo
			}
			if i%kinds == through {
				before = uint32(i - 1)
			}
			if f.Root == root && f.Through == before {
				continue
			}
			if strays++; strays > fewStrays {
				t.Errorf("named: %t: block %d, of kind %d, is held by others: %+v", named, i, i%kinds, f)
				break
			}
		}
		clear(found)
	}
}

// Where Go's heap is not as it is known to be, all of its memory is looked at.
func TestAHeapOfGosThatIsNotUnderstoodIsLookedAtAsAWhole(t *testing.T) {
	a := ask(t)
	const blocks = 100
	memory := mapped(t, blocks*64, unix.MAP_PRIVATE)
	at := make([]uint64, blocks)
	defer dropSmalls()
	forget(func() {
		for i := range at {
			at[i] = ((memory ^ hidden) + 64*uint64(i)) ^ hidden
			smalls = append(smalls, &[1]uint64{at[i] ^ hidden})
		}
	})
	var none [6]uint64 // lists of arenas
	for root, lists := range map[Root]uint64{RootGoHeap | RootSmallest: a.Go.Lists, RootMapping: uint64(uintptr(unsafe.Pointer(&none)))} {
		a.Go.Lists = lists
		found, r := look(t, &a, at, func(int) uint64 { return 64 })
		n := 0
		for _, f := range found {
			if f.Root == root {
				n++
			}
		}
		if n < blocks-fewStrays || r.GoUnknown != (root == RootMapping) {
			t.Errorf("%d of %d blocks have the root %d; unknown: %t", n, blocks, root, r.GoUnknown)
		}
		clear(found)
	}
}

// A connection may be known to the kernel alone.
func TestWhatEpollKeepsIsHeld(t *testing.T) {
	a := ask(t)
	memory := mapped(t, 8192, unix.MAP_PRIVATE) ^ hidden
	at := []uint64{(memory + 64) ^ hidden, (memory + 4096) ^ hidden} // not where a mapping begins, which lists of mappings say
	poller, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(poller)
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(event)
	watch := func(operation int) {
		kept := make(chan error)
		go func() { // on a stack that is gone then
			address := at[0] ^ hidden
			e := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(address), Pad: int32(address >> 32)}
			err := unix.EpollCtl(poller, operation, event, &e)
			e = unix.EpollEvent{}
			kept <- err
		}()
		if err := <-kept; err != nil {
			t.Fatal(err)
		}
	}
	size := func(int) uint64 { return 100 }
	watch(unix.EPOLL_CTL_ADD)
	if found, _ := look(t, &a, at, size); found[0].Holder == 0 || found[0].Root != RootEpoll || found[1].Holder != 0 {
		t.Errorf("%+v", found)
	}
	watch(unix.EPOLL_CTL_DEL)
	if found, _ := look(t, &a, at, size); found[0].Holder != 0 {
		t.Errorf("it is not watched any more: %+v", found[0])
	}
}

// Pages that were never touched are not looked at, however large a mapping is.
func TestUntouchedMemoryIsNotRead(t *testing.T) {
	const huge = 64 << 30
	at, _, errno := unix.Syscall6(unix.SYS_MMAP, 0, huge, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE, ^uintptr(0), 0)
	if errno != 0 {
		t.Fatal("64 GiB of addresses cannot be mapped: ", errno)
	}
	defer unix.Syscall(unix.SYS_MUNMAP, at, huge, 0)
	a := ask(t)
	block := mapped(t, 64*64, unix.MAP_PRIVATE)
	words, at64 := make([]uint64, 64), make([]uint64, 64)
	stored := make(chan bool)
	go func() { // with a stack of its own
		defer close(stored)
		for i := range words {
			words[i], at64[i] = (uint64(at)+(huge/64)*uint64(i+1)-8)^hidden, block+64*uint64(i)
			store(words[i], at64[i]^hidden)
		}
	}()
	<-stored
	found, r := look(t, &a, at64, func(int) uint64 { return 64 })
	strays := 0
	for i, f := range found {
		if f.Holder != words[i]^hidden {
			strays++
		}
	}
	if strays > fewStrays {
		t.Errorf("%d of 64 blocks are not held by the words that were stored", strays)
	}
	if r.Scanned > 1<<30 {
		t.Errorf("%d bytes were looked at", r.Scanned)
	}
}

// The copy runs no handler, is no child that the program hears of, and keeps nothing open.
func TestTheCopyIsApart(t *testing.T) {
	a := ask(t)
	w, err := New(&a, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Free()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	pid, err := w.start() // it waits to be told where its files are
	if err != nil {
		t.Fatal(err)
	}
	c := copied{pid: pid}
	defer func() { _ = c.end() }()
	status := statusOf(t, pid)
	if blocked := status["SigBlk"]; blocked != "fffffffe3bfa3a00" && strings.Count(blocked, "f") < 8 {
		t.Errorf("signals %s are blocked", blocked)
	}
	for _, s := range []syscall.Signal{unix.SIGUSR1, unix.SIGTERM, unix.SIGCHLD, unix.SIGPROF, unix.SIGSEGV} {
		if err := unix.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); !errors.Is(err, unix.ECHILD) {
		t.Errorf("waiting for any child: %v, want none", err)
	}
	unix.Close(ends[1])
	if n, err := unix.Read(ends[0], make([]byte, 1)); n != 0 || err != nil {
		t.Errorf("reading from a pipe whose other end was closed: %d, %v, want its end", n, err)
	}
	time.Sleep(20 * time.Millisecond)
	if state := statusOf(t, pid)["State"]; !strings.HasPrefix(state, "S") && !strings.HasPrefix(state, "R") {
		t.Errorf("the copy is in the state %s", state)
	}
	_ = c.end()
	if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("after its end: %v", err)
	}
}

func statusOf(t *testing.T, pid int) map[string]string {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	fields := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	return fields
}

// Where the kernel refuses a copy, or somebody kills it, that is what the error says.
func TestFailuresAreErrors(t *testing.T) {
	a := ask(t)
	run := func(meanwhile func(pid int), a Ask) error {
		w, err := New(&a, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Free()
		made = meanwhile
		defer func() { made = nil }()
		_, err = Look(w, &a)
		return err
	}
	for _, c := range []struct {
		name, want string
		meanwhile  func(pid int)
		change     func(*Ask)
	}{
		{"it was killed", "signal killed ended it", func(pid int) { _ = unix.Kill(pid, unix.SIGKILL) }, nil},
		{"its time is over", "it had not ended after 50ms", func(pid int) { _ = unix.Kill(pid, unix.SIGSTOP) }, func(a *Ask) { a.Deadline = 50 * time.Millisecond }},
		{"nobody waits for it", "it is not needed any more", func(pid int) { _ = unix.Kill(pid, unix.SIGSTOP) }, func(a *Ask) {
			ended := make(chan struct{})
			close(ended)
			a.Ended = ended
		}},
		{"no files of the kernel's", "no such file", nil, func(a *Ask) { a.Kernel.Proc = t.TempDir() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := a
			if c.change != nil {
				c.change(&a)
			}
			if err := run(c.meanwhile, a); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want an error with %q", err, c.want)
			}
			if _, err := unix.Wait4(-1, nil, unix.WNOHANG|unix.WALL, nil); !errors.Is(err, unix.ECHILD) {
				t.Errorf("a child is left: %v", err)
			}
		})
	}
	if err := run(nil, a); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A filter of system calls that denies the copy, as sandboxes do.
func TestUnderAFilterThatDeniesClone(t *testing.T) {
	if os.Getenv("CGOHEAP_TEST_DENIED") == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestUnderAFilterThatDeniesClone$", "-test.v")
		c.Env = append(os.Environ(), "CGOHEAP_TEST_DENIED=1")
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "it was refused") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	installed(t, []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 0, Jf: 3, K: unix.SYS_CLONE},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 16}, // the lower half of its first argument
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: 1, Jf: 0, K: unix.CLONE_THREAD},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	})
	a := ask(t)
	w, err := New(&a, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Look(w, &a)
	if !errors.Is(err, unix.EPERM) || !strings.Contains(err.Error(), "the kernel refuses the call clone") {
		t.Fatalf("%v, want that the kernel refuses the call", err)
	}
	t.Log("it was refused: ", err)
}

// A filter that ends a copy, and not the process: with these arguments only the copy makes the call.
func TestUnderAFilterThatEndsTheCopy(t *testing.T) {
	if os.Getenv("CGOHEAP_TEST_ENDED") == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestUnderAFilterThatEndsTheCopy$", "-test.v")
		c.Env = append(os.Environ(), "CGOHEAP_TEST_ENDED=1")
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "it was told 20 times") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	installed(t, []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 0, Jf: 3, K: unix.SYS_PRLIMIT64},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 24}, // the lower half of its second argument
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 0, Jf: 1, K: unix.RLIMIT_CORE},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	})
	for range 20 {
		a := ask(t)
		w, err := New(&a, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Look(w, &a); !errors.Is(err, endedBy(unix.SIGSYS)) {
			t.Fatalf("%v, want that the signal ended it", err)
		}
	}
	t.Log("it was told 20 times")
}

// installed has all threads run under a filter of system calls: seccomp(2).
func installed(t *testing.T, filter []unix.SockFilter) {
	t.Helper()
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	const setModeFilter, allThreads = 1, 1
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, allThreads, uintptr(unsafe.Pointer(&program))); errno != 0 {
		t.Fatal(errno)
	}
}
