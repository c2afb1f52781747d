//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// rollup returns Rss of smaps_rollup: the kernel's own sum, which it makes by another walk than the account's.
func rollup(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\nRss:")
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		t.Fatalf("no Rss: %s", text)
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// Four threads allocate and free all the time, at most churn bytes each, in a process that has much more.
func TestTheAccountAddsUpToRSSUnderLoad(t *testing.T) {
	const ballast, churn, threads = 128 << 20, 64 << 10, 4
	p := start(t, everything)
	held := bytes.Repeat([]byte{1}, ballast)
	var done atomic.Bool
	var load sync.WaitGroup
	for i := range threads {
		load.Go(func() {
			for size := uintptr(1 + i); !done.Load(); size = size*7%churn + 1 {
				block := victim.Malloc(size)
				clear(unsafe.Slice((*byte)(block), size))
				victim.Free(block)
			}
		})
	}
	defer load.Wait()
	defer done.Store(true)
	addsUp(t, p)
	runtime.KeepAlive(held)
}

// addsUp takes accounts in a row and compares each with the kernel's sums before and after it.
func addsUp(t *testing.T, p *cgoheap.Profiler) {
	t.Helper()
	times := 100
	if testing.Short() {
		times = 10
	}
	for range times {
		before := rollup(t)
		a, err := p.Account()
		after := rollup(t)
		if err != nil || a.Partial != "" {
			t.Fatal(err, a)
		}
		if a.RSS < min(before, after)/100*99 || a.RSS > max(before, after)/100*101 {
			t.Errorf("the lines add up to %d, the kernel counts %d before and %d after\n%v", a.RSS, before, after, a)
		}
	}
}

// Ten thousand mappings, none of which the kernel joins to its neighbour, while others come and go at most churn bytes at a time.
func TestTheAccountOfManyMappingsAddsUpToRSSUnderLoad(t *testing.T) {
	const mappings, size, churn, threads = 10_000, 32 << 10, 64 << 10, 2
	p := start(t, everything)
	page := os.Getpagesize()
	for range mappings {
		at := victim.Map(nil, size, false)
		if at == nil {
			t.Fatal("the kernel maps no more")
		}
		t.Cleanup(func() { _ = victim.Unmap(at, size) })
		memory := unsafe.Slice((*byte)(at), size)
		clear(memory)
		if err := unix.Mprotect(memory[size-page:], unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	var done atomic.Bool
	var load sync.WaitGroup
	for range threads {
		load.Go(func() {
			for !done.Load() {
				at := victim.Map(nil, churn, false)
				clear(unsafe.Slice((*byte)(at), churn))
				_ = victim.Unmap(at, churn)
			}
		})
	}
	defer load.Wait()
	defer done.Store(true)
	addsUp(t, p)
	if mapped := mappedDirectly(t, p); mapped < mappings*size || mapped > mappings*size+threads*churn {
		t.Errorf("%d bytes are mapped directly, want %d", mapped, mappings*size)
	}
}

func mappedDirectly(t *testing.T, p *cgoheap.Profiler) int64 {
	t.Helper()
	a, err := p.Account()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range a.Lines {
		if l.Name == "mapped directly" {
			return l.Resident
		}
	}
	return 0
}
