package bench

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	sqlite3 "github.com/mattn/go-sqlite3"
	"github.com/valyala/gozstd"

	"github.com/cgoheap/cgoheap/e2e/bench/counter"
	"github.com/cgoheap/cgoheap/nativebench"
)

// extra has the benchmark of SQLite allocate more.
var extra = os.Getenv("BENCH_EXTRA") != ""

const (
	around counter.Span = iota
	within
)

// counted runs a loop, of which both count. Go may begin a thread, for which libc allocates, between the beginning or the end of the
// recording and that of the other count. So that has two spans: one within the recording, and one around it.
func counted(b *testing.B, once func()) {
	counts := around.Begin()
	if counts {
		b.Cleanup(func() { report(b, "most", around.End()) }) // after that of nativebench
	}
	nativebench.Report(b)
	within.Begin()
	for range b.N {
		once()
	}
	if !counts {
		return
	}
	c := within.End()
	report(b, "least", c)
	b.ReportMetric(float64(c.InUse)/float64(b.N), "in-use-B/op")
}

// bindings is how many have a benchmark: with the tag libxml2, that library's has, too.
var bindings = 2

func report(b *testing.B, name string, c counter.Counted) {
	b.ReportMetric(float64(c.Bytes), name+"-B")
	b.ReportMetric(float64(c.Blocks), name+"-allocs")
	b.ReportMetric(float64(c.Peak), name+"-peak-B")
}

func BenchmarkSQLite(b *testing.B) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(context.Background(), "CREATE TABLE t(a, b)"); err != nil {
		b.Fatal(err)
	}
	_ = conn.Raw(func(driver any) error {
		c := driver.(*sqlite3.SQLiteConn)
		counted(b, func() {
			if _, err := c.Exec("INSERT INTO t VALUES(1, 'some text'); DELETE FROM t", nil); err != nil {
				b.Fatal(err)
			}
			if extra {
				counter.Waste(343) // 3 %
			}
		})
		return nil
	})
}

// garbage has Go's collector run now and then.
var garbage []byte

// BenchmarkZstandard does not release what it reads with: a finalizer does.
func BenchmarkZstandard(b *testing.B) {
	text := bytes.Repeat([]byte("some text that repeats, "), 1000)
	counted(b, func() {
		garbage = make([]byte, 200<<10)
		var packed bytes.Buffer
		w := gozstd.NewWriter(&packed)
		defer w.Release()
		if _, err := w.Write(text); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, gozstd.NewReader(&packed)); err != nil || int(n) != len(text) {
			b.Fatal(n, err)
		}
	})
}

// counting returns the library that counts.
func counting(t *testing.T) string {
	t.Helper()
	library := filepath.Join(t.TempDir(), "counter.so")
	if text, err := exec.Command("gcc", "-O1", "-shared", "-fPIC", "-o", library, "testdata/counter.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return library
}

// benchmark runs benchmarks of this package below the library that counts, and returns what they print.
func benchmark(t *testing.T, which, library string, environment ...string) string {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^$", "-test.bench="+which, "-test.benchtime=50x", "-test.cpu=1")
	command.Env = append(append(os.Environ(), "LD_PRELOAD="+library), environment...)
	text, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return string(text)
}

// metrics reads what benchmarks print: their metrics by name and unit.
func metrics(text string) map[string]map[string]float64 {
	results := map[string]map[string]float64{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		metrics := map[string]float64{}
		for i := 2; i+1 < len(fields); i += 2 {
			metrics[fields[i+1]], _ = strconv.ParseFloat(fields[i], 64)
		}
		results[fields[0]] = metrics
	}
	return results
}

// amounts adds up a profile, and beside that what it lacks of threads that Go's runtime began, by its comment.
func amounts(t *testing.T, file string) (blocks, bytes [2]float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Sample {
		blocks[0] += float64(s.Value[0])
		bytes[0] += float64(s.Value[1])
	}
	for _, c := range p.Comments {
		if _, lacks, found := strings.Cut(c, "threads that Go's runtime begins:"); found {
			var column string
			if _, err := fmt.Sscan(lacks, &column, &blocks[1], &column, &bytes[1]); err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			return blocks, bytes
		}
	}
	t.Fatalf("%s does not say what it lacks: %q", file, p.Comments)
	return blocks, bytes
}

func TestCountsAreThoseOfAnIndependentCount(t *testing.T) {
	dir := t.TempDir()
	text := benchmark(t, ".", counting(t), "CGOHEAP_BENCH_DIR="+dir)
	t.Log(text)
	results := metrics(text)
	if len(results) != bindings {
		t.Fatalf("%d results", len(results))
	}
	for name, m := range results {
		file := filepath.Join(dir, "github.com/cgoheap/cgoheap/e2e/bench", name)
		blocks, bytes := amounts(t, file+".pb.gz")
		_, peak := amounts(t, file+".peak.pb.gz")
		for _, c := range []struct {
			native, counted string
			recorded        [2]float64
			runs            float64
		}{{"native-B/op", "-B", bytes, 50}, {"native-allocs/op", "-allocs", blocks, 50}, {"peak-native-B", "-peak-B", peak, 1}} {
			sum, least, most := c.recorded[0]+c.recorded[1], m["least"+c.counted], m["most"+c.counted]
			if sum < least || sum > most || least == 0 {
				t.Errorf("%s: %s: %v are recorded, %v to %v counted", name, c.native, sum, least, most)
			}
			if got := m[c.native] * c.runs; math.Abs(got-c.recorded[0]) > c.recorded[0]/1000 { // four digits are printed
				t.Errorf("%s: %s is %v in all, %v are recorded", name, c.native, got, c.recorded[0])
			}
		}
		leaked, most := m["leaked-native-B/op"], 0.0
		if name == "BenchmarkXML" {
			most = m["in-use-B/op"] // threads that Go began, too, which are no leak: 300 bytes each, of all runs together
		}
		if leaked > most || leaked < 0.99*most {
			t.Errorf("%s: %v leaked, want up to %v", name, leaked, most)
		}
	}
}

// TestLimits compares the same program with itself a thousand times, half of them where Go's garbage collector decides when memory is
// freed, and with one that allocates 3 % more.
func TestLimits(t *testing.T) {
	library, command := counting(t), filepath.Join(t.TempDir(), "cgoheap")
	build := exec.Command("go", "build", "-o", command, "./cmd/cgoheap")
	build.Dir = "../.."
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	profile := func(name string, environment ...string) string {
		dir := t.TempDir()
		benchmark(t, name, library, append(environment, "CGOHEAP_BENCH_DIR="+dir)...)
		return filepath.Join(dir, "github.com/cgoheap/cgoheap/e2e/bench", name+".pb.gz")
	}
	diff := func(a, b string, flags ...string) (code int, text string) {
		c := exec.Command(command, append([]string{"diff", a, b}, flags...)...)
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		return c.ProcessState.ExitCode(), string(out)
	}
	runs := 33 // twice 528 pairs
	if testing.Short() {
		runs = 4
	}
	alarms, pairs := 0, 0
	for _, name := range []string{"BenchmarkSQLite", "BenchmarkZstandard"} {
		var same []string
		for range runs {
			same = append(same, profile(name))
		}
		for i, a := range same {
			for _, b := range same[:i] {
				pairs++
				if code, text := diff(a, b, "-fail", "allocated > 1%", "-fail", "allocations > 1%", "-fail", "in use > 4KiB"); code != 0 {
					alarms++
					t.Errorf("exit code %d\n%s", code, text)
				}
			}
		}
	}
	t.Logf("%d alarms in %d comparisons", alarms, pairs)
	code, text := diff(profile("BenchmarkSQLite"), profile("BenchmarkSQLite", "BENCH_EXTRA=1"), "-markdown", "-fail", "allocated > 2%", "-fail", "allocated > 4%", "-fail", "allocations of database/sql.(*Conn).Raw > 10%")
	t.Log(text)
	if code != 1 || !strings.Contains(text, "1 of 3 limits exceeded") || !strings.Contains(text, "| **exceeded** | allocated &gt; 2% |") ||
		!strings.Contains(text, ", from github.com/cgoheap/cgoheap/e2e/bench/counter.Waste</code>") ||
		!strings.Contains(text, "\ndatabase/sql.(*Conn).Raw\n") {
		t.Errorf("exit code %d", code)
	}
}
