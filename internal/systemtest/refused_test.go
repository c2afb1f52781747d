//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/victim"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// refusal is what a sandbox does to the process before it takes an account, and what the account must say.
type refusal struct {
	calls   []call // that the kernel refuses with EPERM
	nobody  bool   // the process has given up its rights, as one with capabilities of its file: its own /proc is root's
	partial string // what Account.Partial contains; "" if the account is complete
	adds    bool   // the lines add up to RSS
	stands  bool   // the lines that need no file are there, with all that is known of them
}

// call is a system call; with a number that is its second argument, if that is not 0.
type call struct {
	number, second uint32
}

var (
	scanCall    = call{unix.SYS_IOCTL, 0xc0606610} // PAGEMAP_SCAN
	preadCall   = call{unix.SYS_PREAD64, 0}        // of pagemap, whose offset is an address
	mincoreCall = call{unix.SYS_MINCORE, 0}
)

var refusals = map[string]refusal{
	"PAGEMAP_SCAN":          {calls: []call{scanCall}, adds: true},
	"pagemap":               {calls: []call{scanCall, preadCall}, partial: "from smaps", adds: true},
	"pagemap and mincore":   {calls: []call{scanCall, preadCall, mincoreCall}, partial: "from smaps", adds: true},
	"a user without rights": {nobody: true, partial: "from smaps", adds: true},
	"every file":            {calls: []call{{unix.SYS_OPENAT, 0}}, partial: "RSS is the sum of what is known", stands: true},
	"files and mincore":     {calls: []call{{unix.SYS_OPENAT, 0}, mincoreCall}, partial: "touched or not", stands: true},
}

const refusedKind = "CGOHEAP_TEST_REFUSED"

// Each refusal is tried by a process of its own, which cannot be rid of it any more.
func TestTheAccountWhereTheKernelRefuses(t *testing.T) {
	if kind := os.Getenv(refusedKind); kind != "" {
		accountRefused(t, refusals[kind])
		return
	}
	for kind := range refusals {
		t.Run(kind, func(t *testing.T) {
			if kind == "every file" { // the walk of malloc's heaps makes pages resident then
				toolchain.NeedsZeroPage(t)
			}
			again(t, "TestTheAccountWhereTheKernelRefuses", kind)
		})
	}
}

// again runs a test in a process of its own.
func again(t *testing.T, test, kind string) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run", "^"+test+"$", "-test.count=1")
	c.Env = append(os.Environ(), refusedKind+"="+kind)
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func accountRefused(t *testing.T, r refusal) {
	p := start(t, everything)
	ballast := slices.Repeat([]byte{1}, held)
	block, mapping := victim.Malloc(malloced), victim.Map(nil, mapped, false)
	clear(unsafe.Slice((*byte)(block), malloced))
	clear(unsafe.Slice((*byte)(mapping), mapped))
	small := make([]unsafe.Pointer, smallBlocks)
	for i := range small {
		small[i] = victim.Malloc(1000)
	}
	if r.nobody {
		beNobody(t)
	}
	if len(r.calls) > 0 {
		filter(t, refusing(r.calls), unix.SECCOMP_FILTER_FLAG_TSYNC)
	}
	var before, after int64
	if r.adds {
		before = rollup(t)
	}
	a, err := p.Account()
	if err != nil {
		t.Fatal(err)
	}
	if (a.Partial == "") != (r.partial == "") || !strings.Contains(a.Partial, r.partial) {
		t.Errorf("the account is partial: %q, want %q", a.Partial, r.partial)
	}
	if r.adds {
		after = rollup(t)
		if a.RSS < min(before, after)/100*99 || a.RSS > max(before, after)/100*101 {
			t.Errorf("the lines add up to %d, the kernel counts %d before and %d after\n%v", a.RSS, before, after, a)
		}
	}
	if r.stands {
		stands(t, a, r.calls)
	}
	if !strings.HasPrefix(a.String(), "RSS ") {
		t.Errorf("%v", a)
	}
	runtime.KeepAlive(ballast)
	runtime.KeepAlive(small)
}

const (
	malloced, mapped, smallBlocks = 32 << 20, 16 << 20, 8 << 10
	held                          = 64 << 20
)

// stands looks for lines that need no file, and for a reason in those that do.
func stands(t *testing.T, a *cgoheap.Account, refused []call) {
	least := map[string]int64{"Go: heap in use": held, "malloc: in use": malloced + 1000*smallBlocks, "mapped directly": mapped,
		"the profiler's tables": 1, "Go: goroutine stacks": 1, "malloc: free": 1}
	if slices.Contains(refused, mincoreCall) { // nothing else says what is resident of these
		delete(least, "mapped directly")
		delete(least, "the profiler's tables")
	}
	var sum int64
	for _, l := range a.Lines {
		if sum += l.Resident; l.Resident > least[l.Name]+16<<20 {
			t.Errorf("%s: %d, of which %d are known", l.Name, l.Resident, least[l.Name])
		}
		if l.Resident >= least[l.Name] {
			delete(least, l.Name)
		}
		if file := strings.HasPrefix(l.Name, "program and libraries"); file != (l.ReadError != "") && l.Name != "mapped data files" &&
			l.Name != "shared memory" && l.Name != "mapped, caller unknown" {
			t.Errorf("%s is not readable: %q", l.Name, l.ReadError)
		}
	}
	if len(least) > 0 || a.RSS != sum {
		t.Errorf("these lines do not stand: %v; RSS %d, sum %d\n%v", least, a.RSS, sum, a)
	}
}

func beNobody(t *testing.T) {
	const nobody = 65534
	if os.Getuid() == 0 {
		if err := syscall.Setresuid(nobody, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
}

// refusing returns a filter that refuses calls.
func refusing(calls []call) (list []unix.SockFilter) {
	const number, second = 0, 16 + 8 // in struct seccomp_data; the low half of the argument
	refuse := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	for _, c := range calls {
		list = append(list, load(number), unless(c.number, 3))
		if c.second == 0 {
			list[len(list)-1].Jf = 1
		} else {
			list = append(list, load(second), unless(c.second, 1))
		}
		list = append(list, refuse)
	}
	return append(list, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
}

func load(at uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
}

// endingAt returns a filter that ends the process at calls.
func endingAt(numbers ...uint32) []unix.SockFilter {
	list := []unix.SockFilter{load(0)}
	for _, number := range numbers {
		list = append(list, unless(number, 1), unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS})
	}
	return append(list, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
}

// unless skips some instructions if what was loaded is another value.
func unless(value uint32, skipped uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: value, Jf: skipped}
}

// filter installs a filter, for this thread or for all.
func filter(t *testing.T, list []unix.SockFilter, flags uintptr) {
	t.Helper()
	runtime.LockOSThread()
	if flags != 0 {
		defer runtime.UnlockOSThread()
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Error(err)
		return
	}
	program := unix.SockFprog{Len: uint16(len(list)), Filter: &list[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program))); errno != 0 {
		t.Error(errno)
	}
}

// accountCalls are the system calls of an account. docs/account.md lists them.
var accountCalls = map[string]uint32{
	"openat": unix.SYS_OPENAT, "read": unix.SYS_READ, "pread64": unix.SYS_PREAD64, "close": unix.SYS_CLOSE, "fstat": unix.SYS_FSTAT,
	"getdents64": unix.SYS_GETDENTS64, "ioctl": unix.SYS_IOCTL, "mincore": unix.SYS_MINCORE,
	"getpid": unix.SYS_GETPID, "brk": unix.SYS_BRK, "mmap": unix.SYS_MMAP, "munmap": unix.SYS_MUNMAP, "mremap": unix.SYS_MREMAP,
	"madvise": unix.SYS_MADVISE, "prctl": unix.SYS_PRCTL, "pipe2": unix.SYS_PIPE2, "write": unix.SYS_WRITE,
}

// runtimeCalls are those of Go's runtime on any thread, and of the test's own.
var runtimeCalls = []uint32{unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_SCHED_YIELD, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPROCMASK, unix.SYS_SIGALTSTACK,
	unix.SYS_GETTID, unix.SYS_TGKILL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_CTL, unix.SYS_FCNTL, unix.SYS_CLOCK_GETTIME, unix.SYS_EXIT_GROUP,
	unix.SYS_TIMER_SETTIME, unix.SYS_MPROTECT}

// A filter that ends the process at a call that it does not expect would end it in an account, if the documentation lacked one.
func TestSystemCallsOfTheAccountAreDocumented(t *testing.T) {
	if os.Getenv(refusedKind) == "" {
		documented(t, "../../docs/account.md", "An account makes these", accountCalls)
		again(t, "TestSystemCallsOfTheAccountAreDocumented", "all")
		return
	}
	p := start(t, cgoheap.Config{})
	done := make(chan error)
	go func() {
		filter(t, allowing(accountCalls, slices.Clone(runtimeCalls)), 0)
		done <- accounts(p)
		select {} // the thread never does anything else
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// documented checks that the paragraph that begins with these words names the calls.
func documented(t *testing.T, file, words string, calls map[string]uint32) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, paragraph, _ := strings.Cut(string(text), "\n"+words)
	paragraph, _, _ = strings.Cut(paragraph, "\n\n")
	for name := range calls {
		if !strings.Contains(paragraph, "`"+name+"`") {
			t.Errorf("%s lacks %s", file, name)
		}
	}
}

func accounts(p *cgoheap.Profiler) error {
	for range 3 {
		if a, err := p.Account(); err != nil || a.Partial != "" {
			return fmt.Errorf("%w %v", err, a)
		}
	}
	return nil
}

// allowing returns a filter that ends the process at any call but these.
func allowing(calls map[string]uint32, others []uint32) []unix.SockFilter {
	list := []unix.SockFilter{load(0)}
	allow := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
	for _, number := range slices.AppendSeq(others, maps.Values(calls)) {
		list = append(list, unless(number, 1), allow)
	}
	return append(list, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_TRAP})
}
