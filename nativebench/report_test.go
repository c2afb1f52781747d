//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package nativebench_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/testonly"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/nativebench"
)

// metrics are what a benchmark reports.
type metrics struct{ bytes, blocks, peak, leaked float64 }

// TestMain has all benchmarks of tests run a hundred times.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		if err := flag.Set("test.benchtime", "100x"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func measured(t *testing.T, f func(b *testing.B)) metrics {
	t.Helper()
	r := testing.Benchmark(f)
	if r.N == 0 {
		t.Fatal("the benchmark failed")
	}
	for _, name := range []string{"native-B/op", "native-allocs/op", "peak-native-B", "leaked-native-B/op"} {
		if _, reported := r.Extra[name]; !reported {
			t.Fatalf("no %s in %v", name, r.Extra)
		}
	}
	return metrics{r.Extra["native-B/op"], r.Extra["native-allocs/op"], r.Extra["peak-native-B"], r.Extra["leaked-native-B/op"]}
}

// once allocates 1,000 bytes in a block that it enlarges, and 24 in another, and frees both.
func once() {
	a, b := victim.Malloc(400), victim.Calloc(2, 12)
	victim.Free(victim.Realloc(a, 600))
	victim.Free(b)
}

func TestWhatABenchmarkAllocatesIsCounted(t *testing.T) {
	want := metrics{bytes: 1024, blocks: 3, peak: 624}
	for about, f := range map[string]func(*testing.B){
		"b.Loop": func(b *testing.B) {
			victim.Free(victim.Malloc(5000))
			nativebench.Report(b)
			for b.Loop() {
				once()
			}
		},
		"b.N": func(b *testing.B) {
			nativebench.Report(b)
			for range b.N {
				once()
			}
		},
	} {
		t.Run(about, func(t *testing.T) {
			if got := measured(t, f); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestWhatIsFreedAtTheEndIsNoLeak(t *testing.T) {
	for about, free := range map[string]func(*testing.B, unsafe.Pointer){
		"by a cleanup of the benchmark": func(b *testing.B, block unsafe.Pointer) { b.Cleanup(func() { victim.Free(block) }) },
		"by a finalizer":                func(_ *testing.B, block unsafe.Pointer) { runtime.SetFinalizer(&owner{block}, (*owner).free) },
		"by a cleanup of Go's":          func(_ *testing.B, block unsafe.Pointer) { runtime.AddCleanup(&owner{}, victim.Free, block) },
	} {
		t.Run(about, func(t *testing.T) {
			got := measured(t, func(b *testing.B) {
				nativebench.Report(b)
				for b.Loop() {
					free(b, victim.Malloc(64))
				}
			})
			if got.leaked != 0 || got.bytes != 64 || got.blocks != 1 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// owner has a pointer: finalizers of tiny objects without one may never run.
type owner struct{ block unsafe.Pointer }

func (o *owner) free() { victim.Free(o.block) }

func TestALeakIsCounted(t *testing.T) {
	got := measured(t, func(b *testing.B) {
		nativebench.Report(b)
		for b.Loop() {
			once()
			victim.Lose(48)
		}
	})
	if want := (metrics{bytes: 1024 + 48, blocks: 4, peak: 624 + 99*48, leaked: 48}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestBlocksOfAllGoroutinesAreCounted(t *testing.T) {
	got := measured(t, func(b *testing.B) {
		nativebench.Report(b)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				once()
			}
		})
	})
	if got.leaked != 0 || got.bytes != 1024 || got.blocks != 3 {
		t.Errorf("%+v", got)
	}
}

// A thread that is kept by a goroutine makes Go begin others.
func TestThreadsOfGoDoNotCount(t *testing.T) {
	got := measured(t, func(b *testing.B) {
		nativebench.Report(b)
		for b.Loop() {
			once()
			ended := make(chan bool)
			go func() {
				runtime.LockOSThread() // the thread ends with the goroutine
				ended <- true
			}()
			<-ended
		}
	})
	if want := (metrics{bytes: 1024, blocks: 3, peak: 624}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The moment of the peak is that of the most bytes together with those of threads, so the peak may be too low by the latter.
func TestAPeakLacksAtMostWhatThreadsHave(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CGOHEAP_BENCH_DIR", dir)
	got := measured(t, func(b *testing.B) {
		nativebench.Report(b)
		for b.Loop() {
			victim.Free(victim.Malloc(2000))
			block := victim.Malloc(1000)
			begun, end := make(chan bool), make(chan bool)
			for range 8 {
				go func() {
					runtime.LockOSThread() // the thread ends with the goroutine
					begun <- true
					<-end
				}()
			}
			for range 8 {
				<-begun
			}
			close(end)
			victim.Free(block)
		}
	})
	p := saved(t, dir, "unnamed.peak.pb.gz")
	lacks := lackOf(t, p, "inuse_space")
	if lacks == 0 || got.peak > 2000 || got.peak+lacks < 2000 {
		t.Errorf("the peak is %v, and lacks %v for threads: want 2000", got.peak, lacks)
	}
	if n := through(t, p, "newm1"); n != 0 {
		t.Errorf("%d bytes of threads are in the profile", n)
	}
	if n := lackOf(t, saved(t, dir, "unnamed.pb.gz"), "alloc_space"); n < lacks {
		t.Errorf("of %v bytes of threads at the peak, %v were allocated", lacks, n)
	}
}

// lackOf reads from a profile's comment what was left out of it.
func lackOf(t *testing.T, p *profile.Profile, column string) (amount float64) {
	t.Helper()
	for _, c := range p.Comments {
		if _, rest, found := strings.Cut(c, "begins:"); found {
			_, rest, _ = strings.Cut(rest, " "+column+" ")
			if _, err := fmt.Sscan(rest, &amount); err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			return amount
		}
	}
	t.Fatalf("no comment on threads: %q", p.Comments)
	return 0
}

func TestABenchmarkAroundOthersIsLeftOut(t *testing.T) {
	inner := 0
	testing.Benchmark(func(b *testing.B) {
		nativebench.Report(b)
		once()
		b.Run("inner", func(b *testing.B) {
			nativebench.Report(b)
			for b.Loop() {
				once()
			}
			inner = b.N
		})
	})
	if inner != 100 {
		t.Errorf("the inner one ran %d times", inner)
	}
	if got := measured(t, func(b *testing.B) { nativebench.Report(b); once() }); got.bytes != 10.24 {
		t.Errorf("afterwards %+v", got)
	}
}

func TestBesideAProfilerNothingIsReported(t *testing.T) {
	p, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	r := testing.Benchmark(func(b *testing.B) {
		nativebench.Report(b)
		for b.Loop() {
			once()
		}
	})
	if r.N != 100 || len(r.Extra) != 0 {
		t.Errorf("%d runs, %v", r.N, r.Extra)
	}
	t.Setenv("CGOHEAP_BENCH_DIR", t.TempDir())
	if r := testing.Benchmark(func(b *testing.B) { nativebench.Report(b); once() }); r.N != 0 {
		t.Error("a benchmark that should have written profiles passed")
	}
}

// What was lost would be missing in the numbers: the benchmark fails instead.
func TestWithALossNothingIsReported(t *testing.T) {
	r := testing.Benchmark(func(b *testing.B) {
		nativebench.Report(b)
		for b.Loop() {
			release := testonly.FillGate()
			once()
			release()
		}
	})
	if r.N != 0 || len(r.Extra) != 0 {
		t.Errorf("%d runs, %v", r.N, r.Extra)
	}
}

// What a finalizer has not freed yet is no leak, and what it would free cannot be told from one.
func TestWhileAFinalizerBlocksNothingIsReported(t *testing.T) {
	unblock, freed := make(chan bool), make(chan bool, 100) // the benchmark may run more than once
	r := testing.Benchmark(func(b *testing.B) {
		nativebench.Report(b)
		runtime.SetFinalizer(&owner{victim.Malloc(64)}, func(o *owner) { <-unblock; o.free(); freed <- true })
	})
	close(unblock)
	<-freed
	if r.N != 0 || len(r.Extra) != 0 {
		t.Errorf("%d runs, %v", r.N, r.Extra)
	}
}

func TestCGOHEAPTurnsItOff(t *testing.T) {
	t.Setenv("CGOHEAP", "off")
	if r := testing.Benchmark(func(b *testing.B) { nativebench.Report(b); once() }); r.N != 100 || len(r.Extra) != 0 {
		t.Errorf("%d runs, %v", r.N, r.Extra)
	}
}

func TestProfilesAreWritten(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CGOHEAP_BENCH_DIR", dir)
	testing.Benchmark(func(b *testing.B) { // such a one has no name
		nativebench.Report(b)
		for b.Loop() {
			once()
		}
	})
	for file, want := range map[string]int64{"unnamed.pb.gz": 102400, "unnamed.peak.pb.gz": 624} {
		if got := through(t, saved(t, dir, file), "once"); got != want {
			t.Errorf("%s has %d bytes, want %d", file, got, want)
		}
	}
}

// The profiles of two runs must not differ by when the collector ran.
func TestAProfileIsOfAfterTheCollection(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CGOHEAP_BENCH_DIR", dir)
	measured(t, func(b *testing.B) {
		nativebench.Report(b)
		for b.Loop() {
			runtime.AddCleanup(&owner{}, victim.Free, victim.Malloc(64))
		}
	})
	for _, s := range saved(t, dir, "unnamed.pb.gz").Sample {
		if s.Value[3] != 0 {
			t.Errorf("%d bytes are in use", s.Value[3])
		}
	}
}

func TestEachBenchmarkHasAFileOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	command := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkNames$", "-test.benchtime=1x")
	command.Env = append(os.Environ(), "CGOHEAP_BENCH_DIR="+dir)
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	files, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, strings.TrimPrefix(f.Name(), "BenchmarkNames%2F"))
	}
	want := []string{
		"a%2Fb_c.pb.gz", "a%2Fb_c.peak.pb.gz", "a_b%2Fc.pb.gz", "a_b%2Fc.peak.pb.gz",
		"x%2Epeak.pb.gz", "x%2Epeak.peak.pb.gz", "x.pb.gz", "x.peak.pb.gz",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// BenchmarkNames is for that test.
func BenchmarkNames(b *testing.B) {
	for _, name := range []string{"a/b_c", "a_b/c", "x", "x.peak"} {
		b.Run(name, func(b *testing.B) { nativebench.Report(b); once() })
	}
}

// folder is where a directory for profiles has those of this package.
const folder = "github.com/cgoheap/cgoheap/nativebench"

// saved reads a profile of these benchmarks.
func saved(t *testing.T, dir, file string) *profile.Profile {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, folder, file))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// through adds up the bytes, allocated or else in use, of the stacks through a function.
func through(t *testing.T, p *profile.Profile, function string) (sum int64) {
	t.Helper()
	for _, s := range profiletest.Through(p, function) {
		sum += s.Value[1]
	}
	return sum
}
