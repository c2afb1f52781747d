//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// seen is what this program says when it runs with another allocator, of 8 threads that keep one of a hundred blocks.
type seen struct {
	Kept
	Total  uint64 // bytes in use, by jemalloc's own sum over its arenas
	Blocks uint64 // bytes that are in use
	Given  uint64
	Found  int      // allocators
	Wrong  []uint64 // sizes whose blocks are not as large as Rounded says
}

const askedFor = "CGOHEAP_TEST_MALLOC"

func TestMain(m *testing.M) {
	if os.Getenv(askedFor) != "" {
		if err := json.NewEncoder(os.Stdout).Encode(look()); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func look() seen {
	const size = 20000
	blocks := victim.Keep(victim.Kept{Threads: 8, Blocks: 1000, Size: size, Every: 100})
	defer free(blocks)
	all := Read(longEnough)
	s := seen{Blocks: uint64(len(blocks)) * size, Found: len(all)}
	if len(all) > 0 {
		s.Kept = all[0]
	}
	s.Wrong = wronglyRounded(s.Rounded)
	if f := cgo.RealFunction("mallctl"); f != nil {
		s.Total, _ = mallctl(f, "stats.allocated", 8) // as of the same moment
	}
	s.Given = Trim()
	return s
}

// wronglyRounded compares Rounded with what the allocator says of blocks that it has made.
func wronglyRounded(rounded func(uint64) uint64) (wrong []uint64) {
	usable := cmp.Or(cgo.RealFunction("sallocx"), cgo.RealFunction("tc_malloc_size"), cgo.RealFunction("mi_usable_size"))
	if rounded == nil || usable == nil {
		return []uint64{0}
	}
	for size := uint64(1); size <= largestAsked; size += 1 + size/64 {
		p := victim.Malloc(uintptr(size))
		if nallocx(usable, uint64(uintptr(p))) != rounded(size) { // called alike: sallocx has flags, the others ignore them
			wrong = append(wrong, size)
		}
		victim.Free(p)
	}
	return wrong
}

// with runs this program with a preloaded allocator.
func with(t *testing.T, library, debian string) (s seen) {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/*/" + library)
	if len(found) == 0 {
		t.Skipf("needs %s (Debian: %s)", library, debian)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), askedFor+"=1", "LD_PRELOAD="+found[0], "MALLOC_CONF=dirty_decay_ms:-1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &s)
	}
	if err != nil || s.Found != 1 {
		t.Fatalf("%d allocators were found: %v\n%s", s.Found, err, out)
	}
	return s
}

func TestOtherAllocators(t *testing.T) {
	for _, c := range []struct{ name, library, debian string }{
		{"jemalloc", "libjemalloc.so.2", "libjemalloc2"},
		{"tcmalloc", "libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := with(t, c.library, c.debian)
			if s.Name != c.name || s.Unknown != "" || !s.HasFigures || !s.HasResidency || s.ShareRead != 1 {
				t.Fatalf("%+v", s)
			}
			if len(s.Wrong) > 0 {
				t.Errorf("blocks of %d bytes are of other sizes", s.Wrong)
			}
			if s.InUse < s.Blocks || s.InUse > s.Blocks+20<<20 {
				t.Errorf("%d bytes in use, of which the test has %d", s.InUse, s.Blocks)
			}
			if s.Free < 10<<20 || s.Given == 0 || math.Abs(float64(s.Given)-float64(s.Trimmable)) > 0.1*float64(s.Trimmable) {
				t.Errorf("a trim returned %d, %d were said: %+v", s.Given, s.Trimmable, s)
			}
		})
	}
	t.Run("jemalloc's arenas", func(t *testing.T) {
		s := with(t, "libjemalloc.so.2", "libjemalloc2")
		if len(s.ByArena) < 2 || s.InUse != s.Total {
			t.Errorf("%d arenas have %d bytes in use, want several with %d", len(s.ByArena), s.InUse, s.Total)
		}
		addsUp(t, s.Kept)
	})
	t.Run("mimalloc", func(t *testing.T) {
		if s := with(t, "libmimalloc.so.2*", "libmimalloc2.0"); s.Name != "mimalloc" || s.Unknown == "" || s.HasFigures || len(s.Wrong) > 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestOneAllocatorIsFound(t *testing.T) {
	if all := Read(time.Hour); len(all) != 1 || all[0].Name == "" {
		t.Errorf("%+v", all)
	}
}
