//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"os"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

//go:noinline
func attachSegment(id int) unsafe.Pointer { return victim.Attach(id) }

// A program that attaches segments need not ask the kernel about them, so a filter may end it if it does.
func TestAFilterThatEndsAtShmctlMeetsNone(t *testing.T) {
	if os.Getenv(refusedKind) == "" {
		again(t, "TestAFilterThatEndsAtShmctlMeetsNone", "shmctl")
		return
	}
	const pages, touched = 300, 200
	page := os.Getpagesize()
	id := lastingSegment(t, pages*page)
	filter(t, endingAt(unix.SYS_SHMCTL), unix.SECCOMP_FILTER_FLAG_TSYNC)
	p := start(t, everything)
	first, second := attachSegment(id), attachSegment(id)
	clear(unsafe.Slice((*byte)(first), touched*page))
	if err := victim.Detach(second); err != nil {
		t.Error(err)
	}
	found := profiletest.Through(checked(t, p, rss), "attachSegment")
	if got := sumOf(found); got != int64(touched*page) || len(found) != 1 || found[0].Value[0] != 1 {
		t.Errorf("%v, want one segment with %d bytes", found, touched*page)
	}
	if err := victim.Detach(first); err != nil {
		t.Error(err)
	}
	if found := profiletest.Through(checked(t, p, rss), "attachSegment"); len(found) != 0 {
		t.Errorf("what was detached is still there: %v", found)
	}
}

// The profiler's other ways to copy memory do for the vdso, which every recording reads, and for accounts.
func TestAFilterThatEndsAtProcessVMReadvMeetsNone(t *testing.T) {
	if os.Getenv(refusedKind) == "" {
		again(t, "TestAFilterThatEndsAtProcessVMReadvMeetsNone", "process_vm_readv")
		return
	}
	filter(t, endingAt(unix.SYS_PROCESS_VM_READV), unix.SECCOMP_FILTER_FLAG_TSYNC)
	p := start(t, everything)
	block := profiletest.Leak(1000)
	defer victim.Free(block)
	if err := accounts(p); err != nil {
		t.Error(err)
	}
	all := checked(t, p, cgoheap.Selection{})
	if got := sumOf(profiletest.Through(all, "Leak")); got != 1000 {
		t.Errorf("%d bytes of 1000", got)
	}
}

// recordingCalls are the system calls that recording makes on the program's threads under a filter. docs/deploy.md lists them.
var recordingCalls = map[string]uint32{
	"rt_sigprocmask": unix.SYS_RT_SIGPROCMASK, "gettid": unix.SYS_GETTID, "getpid": unix.SYS_GETPID, "sigaltstack": unix.SYS_SIGALTSTACK,
	"prctl": unix.SYS_PRCTL, "pipe2": unix.SYS_PIPE2, "write": unix.SYS_WRITE, "read": unix.SYS_READ, "close": unix.SYS_CLOSE,
	"nanosleep": unix.SYS_NANOSLEEP, "futex": unix.SYS_FUTEX, "clock_gettime": unix.SYS_CLOCK_GETTIME,
	"mprotect": unix.SYS_MPROTECT,
}

// ownCalls are those of victim.Filtered, of libc, and of the end of a thread.
var ownCalls = []uint32{unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_BRK, unix.SYS_SHMAT,
	unix.SYS_SHMDT, unix.SYS_TGKILL, unix.SYS_TKILL, unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGRETURN, unix.SYS_EXIT}

// A filter that ends the process at a call that the program does not make would end it while it records, if the documentation lacked one.
func TestSystemCallsOfRecordingAreDocumented(t *testing.T) {
	if os.Getenv(refusedKind) == "" {
		documented(t, "../../docs/deploy.md", "While it records", recordingCalls)
		again(t, "TestSystemCallsOfRecordingAreDocumented", "all")
		return
	}
	p := start(t, everything)
	list := allowing(recordingCalls, slices.Clone(ownCalls))
	if err := victim.Filtered(unsafe.Pointer(&list[0]), len(list), lastingSegment(t, 3*os.Getpagesize())); err != nil {
		t.Error(err)
	}
	if found := profiletest.Through(take(t, p), "victim_recursion"); found != nil {
		t.Errorf("what was freed is still there: %v", found)
	}
}

// lastingSegment makes a System V segment that the process has to its end, and nobody after it.
func lastingSegment(t *testing.T, size int) int {
	t.Helper()
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, size, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.SysvShmAttach(id, 0, 0); err != nil {
		t.Error(err)
	}
	if _, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil); err != nil {
		t.Fatal(err)
	}
	return id
}
