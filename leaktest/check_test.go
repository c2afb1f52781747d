//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package leaktest

import (
	"net"
	"os/user"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/kept"
	"github.com/cgoheap/cgoheap/internal/testonly"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

func TestABlockThatIsLeftFailsTheTest(t *testing.T) {
	for name, c := range map[string]struct {
		leak func() (free func())
		want []string
	}{
		"of C": {func() func() {
			b := victim.Malloc(100)
			return func() { victim.Free(b) }
		}, []string{"1 block of 100 bytes", "C.victim_malloc", "victim.Malloc", "check_test.go:"}},
		"of C++": {func() func() {
			b := victim.MakeDoubles(3)
			return func() { victim.DeleteArray(b) }
		}, []string{"1 block of 24 bytes", "C.victim_cxx_make_doubles"}},
		"of libc, for its caller": {func() func() {
			b := victim.Strdup(30)
			return func() { victim.Free(b) }
		}, []string{"1 block of 31 bytes", "C.victim_strdup"}},
		"of a thread of C": {func() func() {
			b := victim.MallocOnThread(55)
			return func() { victim.Free(b) }
		}, []string{"1 block of 55 bytes"}},
		"of a goroutine": {func() func() {
			made := make(chan unsafe.Pointer)
			go func() { made <- victim.Malloc(44) }()
			b := <-made
			return func() { victim.Free(b) }
		}, []string{"1 block of 44 bytes", "victim.Malloc"}},
		"in a list": {func() func() {
			l := victim.MallocList(5, 16)
			return func() { victim.FreeList(l) }
		}, []string{"5 blocks with 80 bytes"}},
		"made larger": {func() func() {
			b := victim.Realloc(victim.Malloc(10), 5000)
			return func() { victim.Free(b) }
		}, []string{"1 block of 5000 bytes", "C.victim_realloc"}},
		"of no size": {func() func() {
			b := victim.Malloc(0)
			return func() { victim.Free(b) }
		}, []string{"1 block of 0 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			var free func()
			defer func() { free() }()
			checked(t, func(testing.TB) { free = c.leak() }, brief).wants(t, c.want...)
		})
	}
}

// handle is what a binding returns: an object of Go around one of C.
type handle struct{ block unsafe.Pointer }

func (h *handle) Close() { victim.Free(h.block) }

//go:noinline
func open() *handle { return &handle{victim.Malloc(64)} }

//go:noinline
func openFinalized() { runtime.SetFinalizer(open(), (*handle).Close) }

//go:noinline
func openCleanedUp() {
	h := open()
	runtime.AddCleanup(h, victim.Free, h.block)
}

// chain is freed by finalizers one after the other: an object is garbage only after its owner's finalizer has run.
type chain struct {
	handle
	next *chain
}

//go:noinline
func openChain(length int) {
	var first *chain
	for range length {
		first = &chain{*open(), first}
		runtime.SetFinalizer(first, func(c *chain) { c.Close() })
	}
}

func TestABlockThatIsFreedIsNoLeak(t *testing.T) {
	before := victim.Malloc(70)
	defer victim.Free(before)
	for name, test := range map[string]func(t testing.TB){
		"nothing was allocated":      func(testing.TB) {},
		"at once":                    func(testing.TB) { open().Close() },
		"by a finalizer":             func(testing.TB) { openFinalized() },
		"by a cleanup":               func(testing.TB) { openCleanedUp() },
		"by finalizers in turn":      func(testing.TB) { openChain(6) },
		"by the test's own Cleanup":  func(t testing.TB) { t.Cleanup(open().Close) },
		"late, by another goroutine": func(testing.TB) { h := open(); time.AfterFunc(300*time.Millisecond, h.Close) },
		"late, by a finalizer that waits": func(testing.TB) {
			runtime.SetFinalizer(open(), func(h *handle) { time.Sleep(100 * time.Millisecond); h.Close() })
		},
		"by threads of C that end":      func(testing.TB) { _ = victim.BriefThreads(50, 100) },
		"many, by many threads":         func(testing.TB) { victim.PairsOnThreads(4, 1000) },
		"after an exception":            func(testing.TB) { a, b := victim.ThrowAndCatch(5, 10); victim.Free(a); victim.Free(b) },
		"one of before the test is not": func(testing.TB) { _ = before },
	} {
		t.Run(name, func(t *testing.T) { checked(t, test).wantsNothing(t) })
	}
}

func TestAForgottenCloseIsALeak(t *testing.T) {
	var forgotten *handle
	b := checked(t, func(testing.TB) { forgotten = open() }, brief)
	forgotten.Close()
	b.wants(t, "1 block of 64 bytes", "leaktest.open ")
}

// A finalizer that is blocked holds up all others: the check does not wait for it longer than for a leak.
func TestAFinalizerThatBlocksDoesNotBlockTheCheck(t *testing.T) {
	unblock := make(chan bool)
	freed := make(chan bool)
	b := checked(t, func(testing.TB) {
		runtime.SetFinalizer(open(), func(h *handle) { <-unblock; h.Close(); close(freed) })
	}, brief)
	close(unblock)
	<-freed
	b.wants(t, "1 block of 64 bytes", kept.ErrNotDone.Error())
}

func TestIgnoreFunction(t *testing.T) {
	leak := func(testing.TB) { leaked = append(leaked, open()) }
	defer freeLeaked()
	for name, ignored := range map[string]bool{
		"C.victim_malloc": true, "C.victim_*": true, "*": true,
		"github.com/cgoheap/cgoheap/leaktest.open":                        true,
		"github.com/cgoheap/cgoheap/internal/victim._Cfunc_victim_malloc": true, // the linker's
		"victim": false, "open": false, "C.victim": false, "": false, "github.com/cgoheap/cgoheap/leaktest.opening": false,
	} {
		if b := checked(t, leak, brief, IgnoreFunction("another", name)); b.failed == ignored {
			t.Errorf("%q: failures %q", name, b.errors)
		}
	}
}

var leaked []*handle

func freeLeaked() {
	for _, h := range leaked {
		h.Close()
	}
	leaked = nil
}

func TestWhatLibcKeepsIsNoLeak(t *testing.T) {
	for name, test := range map[string]func(t testing.TB){
		"stacks of threads": func(testing.TB) {
			d, err := victim.StartDeep(5, 1<<20, 100)
			if err != nil {
				t.Fatal(err)
			}
			d.Leave()
			d.Join()
		},
		"threads of Go": func(testing.TB) {
			ended := make(chan bool)
			for range 20 {
				go func() {
					runtime.LockOSThread()
					time.Sleep(20 * time.Millisecond)
					ended <- true
				}()
			}
			for range 20 {
				<-ended
			}
		},
		"the environment": func(testing.TB) { t.Setenv("CGOHEAP_LEAKTEST", "a"); t.Setenv("CGOHEAP_LEAKTEST", "b") },
		"a library that is loaded": func(testing.TB) {
			p, err := victim.OpenPlugin("libm.so.6")
			if err == nil {
				p.Close()
			}
			if _, err := victim.OpenPlugin("nowhere.so"); err == nil {
				t.Error("it was loaded")
			}
		},
		"users and groups": func(testing.TB) {
			if u, err := user.Current(); err == nil {
				_, _ = u.GroupIds()
			}
			_, _ = user.Lookup("nobody")
		},
		"hosts": func(t testing.TB) {
			t.Setenv("GODEBUG", "netdns=cgo")
			_, _ = net.LookupHost("localhost")
		},
		"a thread of C that calls Go": func(testing.TB) { _ = victim.OnThread(func() { open().Close() }) },
	} {
		t.Run(name, func(t *testing.T) { checked(t, test).wantsNothing(t) })
	}
}

func TestFunctionsOfLibcAreKnownByEachOfTheirNames(t *testing.T) {
	for name, kept := range map[string]bool{
		"getpwnam_r": true, "__getpwnam_r": true, "__GI_getaddrinfo": true, "__GI___nss_database_get": true, "___pthread_create_2_1": true,
		"_dl_open": true, "_IO_file_doallocate": true, "__GI__IO_file_doallocate": true,
		"strdup": false, "_getpwnam_r": false, "my__getaddrinfo": false, "__GI_strdup": false, "": false,
	} {
		if got := isKept([]symbolize.Line{{SystemName: "main"}, {SystemName: name}}); got != kept {
			t.Errorf("%q: %t", name, got)
		}
	}
}

func TestAFailureListsTheLargestStacks(t *testing.T) {
	defer freeLeaked()
	f := found{}
	for i := range mostLeaks + 3 {
		f.leaks = append(f.leaks, leak{amount{1, int64(i)}, "x\n"})
	}
	text := f.text()
	if !strings.Contains(text, "leaktest: 23 blocks with 253 bytes,") || !strings.HasSuffix(text, "and 3 stacks more") || strings.Count(text, "\nx\n") != mostLeaks {
		t.Error(text)
	}
	b := checked(t, func(testing.TB) {
		for range 3 {
			leaked = append(leaked, open())
		}
		leaked = append(leaked, &handle{victim.Malloc(1000)})
	}, brief)
	b.wants(t, "4 blocks with 1192 bytes, allocated in this test, in use at its end:\n    1 block of 1000 bytes\n", "    3 blocks with 192 bytes\n")
}

func TestNamesAreAskedForWhereTheyAreMissing(t *testing.T) {
	defer freeLeaked()
	b := checked(t, func(testing.TB) { leaked = append(leaked, open()) }, brief)
	const hint = "-ldflags='-s=false -w=false'"
	if named := strings.Contains(b.errors[0], "        victim_malloc"); named == strings.Contains(b.errors[0], hint) {
		t.Error(b.errors[0])
	}
}

func TestATestThatHasFailedIsNotChecked(t *testing.T) {
	defer freeLeaked()
	b := checked(t, func(t testing.TB) {
		leaked = append(leaked, open())
		t.FailNow()
	})
	if len(b.errors)+len(b.logs) > 0 {
		t.Errorf("%q, %q", b.errors, b.logs)
	}
}

func TestAnotherRecordingIsLeftAlone(t *testing.T) {
	r, err := alloc.Start(alloc.Options{SampleBytes: 1, MaxDepth: 16, TableBytes: 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	b := checked(t, func(testing.TB) { leaked = append(leaked, open()) })
	freeLeaked()
	if len(b.errors) > 0 || len(b.logs) != 1 || !strings.HasPrefix(b.logs[0], "leaktest: not checked: a profiler is running") {
		t.Errorf("%q, %q", b.errors, b.logs)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	checked(t, func(testing.TB) {}).wantsNothing(t)
}

// A free that was not recorded makes a block look like a leak. That is rare, and counted.
func TestALostFreeIsNoFailure(t *testing.T) {
	b := checked(t, func(testing.TB) {
		h := open()
		release := testonly.FillGate()
		h.Close()
		release()
	}, brief)
	if len(b.errors) > 0 || len(b.logs) != 1 || !strings.Contains(b.logs[0], "1 block of 64 bytes") || !strings.Contains(b.logs[0], "no failure, because") {
		t.Errorf("%q, %q", b.errors, b.logs)
	}
}

func TestAnIncompleteRecordingIsLogged(t *testing.T) {
	losses := []stack.Loss{{Name: "lost_mapped", Sentence: "a", Count: 1}, {Name: "lost_live_table_full", Sentence: "b"},
		{Name: "lost_stack_table_full", Sentence: "c", Count: 2}}
	f := found{missed: firstOf(losses, missing), doubt: firstOf(losses, doubtful)}
	if got := f.notes(); len(got) != 1 || got[0] != "leaktest: not all was recorded: c" {
		t.Errorf("%q", got)
	}
	for _, name := range slices.Concat(missing, doubtful) {
		if !slices.ContainsFunc(counters(t), func(c stack.Loss) bool { return c.Name == name }) {
			t.Errorf("no counter is called %s", name)
		}
	}
}

// counters returns all counters of a recording.
func counters(t *testing.T) []stack.Loss {
	r, err := alloc.Start(alloc.Options{SampleBytes: 1, MaxDepth: 16, TableBytes: 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Stop()
	return r.Counters()
}

// What is recorded between two checks counts for neither.
func TestEachCheckBeginsAfresh(t *testing.T) {
	defer freeLeaked()
	for range 3 {
		leaked = append(leaked, open())
		checked(t, func(testing.TB) {}).wantsNothing(t)
		checked(t, func(testing.TB) { leaked = append(leaked, open()) }, brief).wants(t, "leaktest: 1 block of 64 bytes")
	}
	if shared.recording != nil || len(shared.running) > 0 {
		t.Error("it still records")
	}
}

// lose leaves a block to which nothing points any more.
//
//go:noinline
func lose(size uintptr) { victim.Free(victim.Malloc(size + 1)); victim.Malloc(size) }

func TestUnreachableOnly(t *testing.T) {
	defer freeLeaked()
	for name, c := range map[string]struct {
		test func()
		want []string // nil: no failure
	}{
		"held by a variable of Go":      {test: func() { leaked = append(leaked, open()) }},
		"lost":                          {func() { loseOften() }, []string{"lose"}},
		"lost, beside one that is held": {func() { leaked = append(leaked, open()); loseOften() }, []string{"lose"}},
		"freed":                         {test: func() { open().Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			b := checked(t, func(testing.TB) { c.test() }, UnreachableOnly(), brief)
			if c.want == nil {
				b.wantsNothing(t)
				return
			}
			b.wants(t, c.want...)
			if strings.Contains(b.errors[0], "leaktest.open") {
				t.Error(b.errors[0])
			}
		})
	}
}

// loseOften loses more blocks than stale words on stacks can hold.
func loseOften() {
	for range 50 {
		lose(333)
	}
}
