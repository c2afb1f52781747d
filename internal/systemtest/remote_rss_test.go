//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/symbolize"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// What the process that is read makes resident: memory that it maps and touches in part, a block that it touches in part, and Go's heap.
const (
	mapTouched, mapLength     = 3 << 20, 40 << 20
	blockTouched, blockLength = 2 << 20, 30 << 20
	goGrowth                  = 24 << 20
	reportedBytes             = 1 << 20 // of the mapping: the program says that it is a block
)

var grown []byte

//go:noinline
func mapInPart() unsafe.Pointer { return victim.Map(nil, mapLength, false) }

//go:noinline
func allocateInPart() unsafe.Pointer { return victim.Malloc(blockLength) }

func grow() {
	pool := mapInPart()
	touch(pool, mapTouched)
	cgoheap.Allocated(uintptr(pool), reportedBytes, "")
	touch(allocateInPart(), blockTouched)
	for n := range uintptr(2000) {
		touch(profiletest.Cache(1000+n), 1000)
	}
	grown = make([]byte, goGrowth)
	touch(unsafe.Pointer(&grown[0]), goGrowth)
}

func touch(p unsafe.Pointer, bytes int) {
	for at := 0; at < bytes; at += 1000 {
		*(*byte)(unsafe.Add(p, at)) = 1
	}
}

// A process that is stopped has a profile of RSS from outside: all of what the kernel counts, and on each line what the process itself has on it.
func TestAStoppedProcessHasAProfileOfRSSFromOutside(t *testing.T) {
	toolchain.NeedsZeroPage(t)
	for _, c := range []struct{ sampleBytes, box string }{{"1", ""}, {"524288", ""}, {"1", toolchain.Memory(t)}} {
		t.Run(c.sampleBytes+" "+filepath.Base(c.box), func(t *testing.T) {
			t.Setenv(boxOfRecorded, c.box)
			b := begin(t, c.sampleBytes)
			b.say(t, "grow")
			outside, own := b.bothRSS(t, c.box != "")
			// Estimates that are too large share malloc's memory. Only the process knows how much of that is headers and free, and it
			// has more when it goes on. So all blocks differ by the same part.
			shared := apart(with(outside, isBlock), with(own, isBlock))
			for _, function := range []string{"mapInPart", "allocateInPart", "Cache"} {
				got, want := profiletest.Through(outside, function), profiletest.Through(own, function)
				if off := apart(got, want); off > 0 && (c.sampleBytes == "1" || off > shared+0.02) {
					t.Errorf("%s has %d bytes from outside, and %d by the process; all blocks differ by %.3f", function, sumOf(got), sumOf(want), shared)
				}
			}
			if c.sampleBytes == "1" && !profiletest.HasComment(outside, "the program reported, ", fmt.Sprint(reportedBytes)) {
				t.Errorf("%q", outside.Comments)
			}
			if got := sumOf(profiletest.Through(outside, "mapInPart")); got != mapTouched {
				t.Errorf("%d bytes are resident of the mapping, and %d were touched", got, mapTouched)
			}
			compareLines(t, outside, own)
		})
	}
}

// bothRSS returns the profile from outside while the process is stopped, and the one that it writes itself when it goes on.
func (c *recorded) bothRSS(t *testing.T, box bool) (outside, own *profile.Profile) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c.await(t, 'T')
	kernel := usage.Kernel{Proc: "/proc", Process: c.Process.Pid}
	rss, err := kernel.Rollup()
	if err != nil {
		t.Fatal(err)
	}
	read, err := remote.ReadResident(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if after, err := kernel.Rollup(); err != nil || after-rss > 64<<10 {
		t.Errorf("reading the process made %d bytes of it resident, %v", after-rss, err)
	}
	var b bytes.Buffer
	if err := read.Write(&b, remote.View{View: report.RSS}, symbolize.New(symbolize.Options{})); err != nil {
		t.Fatal(err)
	}
	if faults, err := check.Profile(bytes.NewReader(b.Bytes())); err != nil || len(faults) > 0 {
		t.Errorf("%v, %v", faults, err)
	}
	outside = profiletest.Parse(t, &b)
	noted := profiletest.HasComment(outside, "Go's own heap is as of")
	if box && !noted || profiletest.HasComment(outside, "a thread stood in the middle of recording it: try again") {
		if err := c.Process.Signal(syscall.SIGCONT); err != nil { // the flight recorder has not taken its first note, or so it is said
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		return c.bothRSS(t, box)
	}
	if sum := sumOf(outside.Sample); max(sum, rss)-min(sum, rss) > max(1<<20, rss/100) || profiletest.HasComment(outside, "partial") {
		t.Errorf("the profile has %d bytes, and the kernel counts %d: %q", sum, rss, outside.Comments)
	}
	if noted != box {
		t.Errorf("Go's own heap is there: %v", noted)
	}
	if err := c.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rss")
	c.say(t, "rss "+path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return outside, profiletest.Parse(t, bytes.NewReader(text))
}

// compareLines compares sums of lines that both profiles can have. While it writes its own, the process takes memory of Go and for its tables.
func compareLines(t *testing.T, outside, own *profile.Profile) {
	t.Helper()
	const some = 1 << 20
	for about, c := range map[string]struct {
		bound int64
		has   func(*profile.Sample) bool
	}{
		"mapped directly": {0, heapWith("mapped", account.CallerUnknown)},
		"caller unknown":  {some, leafOf(account.CallerUnknown)},
		"malloc":          {some, heapWith("native", "")},
		"blocks":          {some, isBlock},
		"Go":              {6 << 20, heapWith("go", "")},
		"code":            {some, leafOf(account.Code)},
		"data":            {some, leafOf(account.Data)},
		"written":         {some, leafOf(account.Written)},
		"stacks":          {some, leafOf(account.Stacks)},
		"tables":          {6 << 20, leafOf(account.Tables)},
	} {
		got, want := sumOf(with(outside, c.has)), sumOf(with(own, c.has))
		if off := max(got, want) - min(got, want); off > c.bound {
			t.Errorf("%s: %d bytes from outside, and %d by the process", about, got, want)
		}
	}
	if native := sumOf(with(outside, isBlock)); native < blockTouched {
		t.Errorf("%d bytes of blocks have stacks", native)
	}
	if got := sumOf(with(outside, heapWith("go", ""))); got < goGrowth {
		t.Errorf("%d bytes are Go's", got)
	}
}

func with(p *profile.Profile, has func(*profile.Sample) bool) (list []*profile.Sample) {
	for _, s := range p.Sample {
		if has(s) {
			list = append(list, s)
		}
	}
	return list
}

// apart returns by what part of the smaller sum two lists of samples differ.
func apart(a, b []*profile.Sample) float64 {
	one, other := float64(sumOf(a)), float64(sumOf(b))
	return max(one, other)/min(one, other) - 1
}

func heapIs(s *profile.Sample, heap string) bool { return strings.Join(s.Label["heap"], ",") == heap }

// isStack is false for a leaf.
func isStack(s *profile.Sample) bool { return !strings.HasPrefix(profiletest.Functions(s)[0], "[") }

func isBlock(s *profile.Sample) bool { return isStack(s) && heapIs(s, "native") }

func leafOf(name string) func(*profile.Sample) bool {
	return func(s *profile.Sample) bool { return profiletest.Functions(s)[0] == "["+name+"]" }
}

// heapWith selects what has the label of a heap, without a leaf.
func heapWith(heap, without string) func(*profile.Sample) bool {
	return func(s *profile.Sample) bool { return heapIs(s, heap) && !leafOf(without)(s) }
}

// writeRSS is done by the process that is read.
func writeRSS(t *testing.T, p *cgoheap.Profiler, path string) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := p.Write(f, rss); err != nil {
		t.Fatal(err)
	}
}
