//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/victim"
)

var rss = cgoheap.Selection{View: cgoheap.ViewRSS()}

// checked writes a profile, and fails if a reader would refuse it.
func checked(t *testing.T, p *cgoheap.Profiler, s cgoheap.Selection) *profile.Profile {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	if faults, err := check.Profile(bytes.NewReader(b.Bytes())); err != nil || len(faults) > 0 {
		t.Errorf("%v, %v", faults, err)
	}
	return profiletest.Parse(t, &b)
}

// sumOf returns the bytes of samples, which are all the values that the profile has but for the number of objects.
func sumOf(samples []*profile.Sample) (bytes int64) {
	for _, s := range samples {
		bytes += s.Value[len(s.Value)-1]
	}
	return bytes
}

// leaf returns the bytes of the leaf with that name.
func leaf(p *profile.Profile, name string) int64 {
	var found []*profile.Sample
	for _, s := range p.Sample {
		if slices.Equal(profiletest.Functions(s), []string{"[" + name + "]"}) {
			found = append(found, s)
		}
	}
	return sumOf(found)
}

func TestTheProfileOfRSSHasAllOfIt(t *testing.T) {
	const native, golang = 48 << 20, 64 << 20
	p := start(t, everything)
	block := profiletest.Leak(native)
	defer victim.Free(block)
	clear(unsafe.Slice((*byte)(block), native/2))
	held := hold(golang)
	for i := range held {
		held[i] = 1
	}
	runtime.GC()
	before := rollup(t)
	all := checked(t, p, rss)
	after := rollup(t)

	total := sumOf(all.Sample)
	// The profile's own work takes and frees memory between the two.
	if total < min(before, after)/100*98 || total > max(before, after)/100*102 {
		t.Errorf("%d in all, the kernel counts %d before and %d after", total, before, after)
	}
	const huge = 2 << 20
	if got := sumOf(profiletest.Through(all, "Leak")); got < native/2-huge || got > native/2+huge {
		t.Errorf("%d bytes of a block of which %d were touched", got, native/2)
	}
	if got := sumOf(ofHeap(all, "go")); got < golang {
		t.Errorf("Go has %d bytes, of which %d are known", got, golang)
	}
	for _, name := range []string{"program and libraries: code", "program and libraries: data", "the profiler's tables"} {
		if leaf(all, name) == 0 || !profiletest.HasComment(all, "["+name+"]: ") {
			t.Errorf("there is no leaf %q, or no sentence about it", name)
		}
	}
	runtime.KeepAlive(held)
}

func TestTheProfileOfRSSWithinBounds(t *testing.T) {
	p := start(t, everything)
	for i := range 50 {
		block := profiletest.Leak(uintptr(100 * (i + 1)))
		defer victim.Free(block)
	}
	onlyNow(t)
	all := checked(t, p, rss)
	leaves := 0
	for _, s := range all.Sample {
		if f := profiletest.Functions(s); len(f) == 1 && strings.HasPrefix(f[0], "[") {
			leaves++
		}
	}
	before := rollup(t)
	cut := checked(t, p, cgoheap.Selection{View: cgoheap.ViewRSS(), MaxSamples: leaves + 10})
	after := rollup(t)
	if len(cut.Sample) > leaves+10 || leaf(cut, "program and libraries: code") == 0 {
		t.Errorf("%d samples, %d leaves: %v", len(cut.Sample), leaves, cut)
	}
	if got := sumOf(cut.Sample); got < min(before, after)/10*9 || got > max(before, after)/10*11 {
		t.Errorf("%d in all, the kernel counts %d before and %d after", got, before, after)
	}
	err := p.Write(new(bytes.Buffer), cgoheap.Selection{View: cgoheap.ViewRSS(), MaxSamples: 2})
	if !errors.Is(err, report.ErrBounds) {
		t.Errorf("a bound of two samples: %v", err)
	}
}

//go:noinline
func mapPages(bytes uintptr) unsafe.Pointer { return victim.Map(nil, bytes, false) }

func TestMappedMemoryHasItsStackInTheProfileOfRSS(t *testing.T) {
	const size = 64 << 20
	p := start(t, everything)
	before := checked(t, p, rss)
	b := mapPages(size)
	defer victim.Unmap(b, size)
	clear(unsafe.Slice((*byte)(b), size/2))
	all := checked(t, p, rss)
	const huge = 2 << 20
	found := profiletest.Through(all, "mapPages")
	if got := sumOf(found); got < size/2-huge || got > size/2+huge || !found[0].HasLabel("heap", "mapped") {
		t.Errorf("%d bytes of a mapping of which %d were touched: %v", got, size/2, found)
	}
	if unknown, then := leaf(all, account.CallerUnknown), leaf(before, account.CallerUnknown); unknown > then+huge {
		t.Errorf("%d bytes are of unknown caller, before it were %d", unknown, then)
	}
}

// resident returns how much of whole pages is in memory, as mincore has it.
func resident(t *testing.T, block []byte) (bytes int64) {
	t.Helper()
	pages := make([]byte, (len(block)+os.Getpagesize()-1)/os.Getpagesize())
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&block[0])), uintptr(len(block)), uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		t.Fatal("mincore:", errno)
	}
	for _, p := range pages {
		bytes += int64(p&1) * int64(os.Getpagesize())
	}
	return bytes
}

func TestTablesOfGosRuntimeAreGos(t *testing.T) {
	p := start(t, everything)
	held := hold(1 << 30) // it is never touched, but the runtime makes tables of its arenas
	all := checked(t, p, rss)
	if leaf(all, account.GoOther) == 0 {
		t.Errorf("nothing of Go's tables is known: %v", all.Comments)
	}
	// The runtime clears, and so touches, a block that begins in an arena it has used before.
	if got, touched := sumOf(ofHeap(all, "go")), resident(t, held); got > touched+1<<29 {
		t.Errorf("%d bytes of Go's heap, which has a block of %d of which %d were touched", got, len(held), touched)
	}
	runtime.KeepAlive(held)
}

// Stacks have no stacks of their own: each of their lines is a leaf with all of it. What other threads have may change a little in between.
func TestStacksAreLeavesOfRSS(t *testing.T) {
	const threads, touched, others = 100, 128 << 10, 2 << 20
	p := start(t, everything)
	agree := func(name string, least int64) {
		t.Helper()
		a, err := p.Account()
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(a.Lines, func(l cgoheap.AccountLine) bool { return l.Name == name })
		got := leaf(checked(t, p, rss), name)
		if at < 0 || got < least || got > a.Lines[at].Resident+others || got < a.Lines[at].Resident-others {
			t.Errorf("the leaf of %s has %d, at least %d are known: %s", name, got, least, a)
		}
	}
	d, err := victim.StartDeep(threads, 2*touched, touched)
	if err != nil {
		t.Fatal(err)
	}
	agree(account.Stacks, threads*touched)
	d.Leave()
	d.Join()
	if victim.StacksKept() {
		agree(account.StacksEnded, threads*int64(os.Getpagesize()))
	}
}
