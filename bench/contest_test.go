package bench

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/pprof/profile"
)

const rounds = 15

// contestant writes the same profile as the others, each time it is called.
type contestant struct {
	name  string
	write func(io.Writer) error
}

// outcome is the cost of one contestant's turns.
type outcome struct {
	times     []float64 // milliseconds that passed
	processor []float64 // milliseconds of processors, the garbage collector's included
	allocated []float64 // megabytes
	size      counter
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

func (o *outcome) turn(c contestant) error {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	o.size = 0
	start, used := time.Now(), processorTime()
	err := c.write(&o.size)
	o.times = append(o.times, milliseconds(time.Since(start)))
	o.processor = append(o.processor, milliseconds(processorTime()-used))
	runtime.ReadMemStats(&after)
	o.allocated = append(o.allocated, float64(after.TotalAlloc-before.TotalAlloc)/1e6)
	return err
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// processorTime returns the processor time that all threads of this process have used. Unlike the time that passes, it
// hardly depends on other work on the machine.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// contest lets all take turns and prints a table, in which the ratios are to the first contestant.
func contest(b *testing.B, title string, contestants []contestant) {
	outcomes := make([]outcome, len(contestants))
	for range rounds {
		for i, c := range contestants {
			if err := outcomes[i].turn(c); err != nil {
				b.Fatalf("%s: %v", c.name, err)
			}
		}
	}
	ours := outcomes[0]
	fmt.Printf("\n%s, medians of %d rounds:\n", title, rounds)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tms\tratio\tprocessor ms\tratio\tMB allocated\tratio\tMB written\t")
	for i, c := range contestants {
		o := &outcomes[i]
		fmt.Fprint(table, c.name)
		for _, pair := range [][2][]float64{{o.times, ours.times}, {o.processor, ours.processor}, {o.allocated, ours.allocated}} {
			fmt.Fprintf(table, "\t%.1f\t%.1f", median(pair[0]), median(pair[0])/median(pair[1]))
		}
		fmt.Fprintf(table, "\t%.2f\t\n", float64(o.size)/1e6)
	}
	if err := table.Flush(); err != nil {
		b.Fatal(err)
	}
	fmt.Println()
}

// content is what profiles must have in common to be comparable: the number of stacks of stackDepth frames, and the sums of
// their values. Go's heap has a few other stacks, which the runtime allocated meanwhile.
type content struct {
	stacks int
	totals [4]int64
}

func contentOf(t testing.TB, c contestant) content {
	t.Helper()
	read, write := io.Pipe()
	go func() { write.CloseWithError(c.write(write)) }()
	p, err := profile.Parse(read)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	var sum content
	for _, s := range p.Sample {
		depth := 0
		for _, l := range s.Location {
			depth += len(l.Line)
		}
		if depth != stackDepth {
			continue
		}
		sum.stacks++
		for i, v := range s.Value {
			sum.totals[i] += v
		}
	}
	return sum
}

// checkEqual compares the output of all contestants, and checks the number of stacks.
func checkEqual(t testing.TB, stacks int, contestants []contestant) {
	t.Helper()
	want := contentOf(t, contestants[0])
	// On a busy machine a processor may still record one block of other work.
	if few := runtime.GOMAXPROCS(0); want.stacks < stacks || want.stacks > stacks+few || want.totals[3] == 0 {
		t.Fatalf("%s writes %+v, want %d stacks, or %d more", contestants[0].name, want, stacks, few)
	}
	for _, c := range contestants[1:] {
		if got := contentOf(t, c); got != want {
			t.Errorf("%s writes %+v, %s %+v", contestants[0].name, want, c.name, got)
		}
	}
}
