//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestTrim(t *testing.T) {
	p := start(t, everything)
	blocks := victim.Keep(victim.Kept{Threads: 4, Blocks: 1000, Size: 20000, Every: 100})
	defer func() {
		for _, b := range blocks {
			victim.Free(b)
		}
	}()
	if given := p.Trim(); given < 60e6 || given > 100e6 {
		t.Errorf("of 79 MB that were freed, %d bytes were returned", given)
	}
}

// advised is the advice for a process with many arenas, and how much a trim returns by it.
var advised = regexp.MustCompile(`^[0-9.]+ [MG]iB of RSS is free memory in (?:[0-9]+ of )?28 arenas; MALLOC_ARENA_MAX=2, or POST /debug/cgoheap/trim \(header X-Cgoheap: 1\), returns about ([0-9.]+) ([MG]iB) to the kernel$`)

func adviceOf(t *testing.T, a *Account) (gives float64) {
	t.Helper()
	for _, sentence := range a.Advice {
		if m := advised.FindStringSubmatch(sentence); m != nil {
			n, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return n * map[string]float64{"MiB": 1 << 20, "GiB": 1 << 30}[m[2]]
		}
	}
	t.Fatalf("there is no such advice: %q", a.Advice)
	return 0
}

// glibc settles how many arenas there may be when it makes the ninth, in whatever test that is.
func init() { victim.AllowArenas(28) }

// Threads that have ended leave 0.5 GiB in 28 arenas, of which less than a MiB is in use: of each arena, its first block and its last, so
// that glibc returns nothing by itself. One look at the account must show it.
func TestTrimOfTwentyEightArenas(t *testing.T) {
	p := start(t, everything)
	defer func(d time.Duration) { lookingTime = d }(lookingTime)
	lookingTime = time.Minute // on a busy machine it would not be enough for all of it
	blocks := victim.Keep(victim.Kept{Threads: 28, Blocks: 1101, Size: 18000, Every: 1100})
	defer func(blocks []unsafe.Pointer) {
		for _, b := range blocks {
			victim.Free(b)
		}
	}(blocks)
	a, err := p.Account()
	if err != nil || a.Partial != "" {
		t.Fatal(err, a)
	}
	if lines := strings.Split(a.String(), "\n"); a.Lines[0].Name != account.Free || !strings.HasSuffix(lines[1], account.Free) || a.Lines[0].Resident < 500e6 {
		t.Errorf("the first line is not malloc's free memory:\n%s", a)
	}
	if m := a.Malloc[0]; m.Arenas != 28 || len(m.ByArena) != 28 || !strings.Contains(a.String(), "in all 28 arenas\n") {
		t.Errorf("not by arena: %+v\n%s", m, a)
	} else if sum := sumOf(m.ByArena); sum.InUse != m.InUse || sum.Free != m.Free || sum.Trimmable != m.Trimmable || sum.Pinned != m.Pinned {
		t.Errorf("the arenas add up to %+v, want %+v", sum, m)
	}
	said := adviceOf(t, a)
	if given := float64(p.Trim()); math.Abs(given-said) > 0.1*given {
		t.Errorf("a trim returned %.0f bytes, %.0f were said", given, said)
	}
	if free := lineOf(t, p, account.Free); free > a.Lines[0].Resident/2 {
		t.Errorf("%d bytes are free after the trim, before it were %d", free, a.Lines[0].Resident)
	}
}
