package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap"
)

var (
	size   = flag.Float64("bytes", 10e9, "resident bytes")
	kinds  = flag.String("kinds", "large,small,mapped", "what they are in, each in a process of its own")
	rounds = flag.Int("rounds", 15, "accounts that are taken")
	each   = flag.Int("each", 1<<20, "bytes of each mapping of the kind mapped")
	child  = flag.Bool("child", false, "fill this process with the kind, and measure")
)

func main() {
	flag.Parse()
	if *child {
		measure(*kinds)
		return
	}
	fmt.Println("| in | account, least | median | smaps_rollup, least | median | least / least | median of ratios | Go heap | largest |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for kind := range strings.SplitSeq(*kinds, ",") {
		if err := again(kind); err != nil {
			log.Fatalf("%s: %v", kind, err)
		}
	}
}

// measure prints a row of the table.
func measure(kind string) {
	p, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		log.Fatal(err)
	}
	fillOf, known := fills[kind]
	if !known {
		log.Fatalf("the kind is one of %v", names())
	}
	about := fillOf(int(*size))
	var accounts, rollups, ratios []time.Duration
	var last *cgoheap.Account
	var heap uint64
	for range *rounds {
		account, garbage := timed(func() { last = accountOf(p) })
		rollup, _ := timed(func() { read("/proc/self/smaps_rollup") })
		accounts, rollups = append(accounts, account), append(rollups, rollup)
		ratios = append(ratios, account*1000/rollup)
		heap = max(heap, garbage)
	}
	fmt.Printf("| %s | %.1f ms | %.1f ms | %.1f ms | %.1f ms | %.2f | %.2f | %.2f MB | %s |\n", about,
		ms(slices.Min(accounts)), ms(median(accounts)), ms(slices.Min(rollups)), ms(median(rollups)),
		float64(slices.Min(accounts))/float64(slices.Min(rollups)), float64(median(ratios))/1000, float64(heap)/1e6,
		last.Lines[0].Name)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// timed returns how long work took, and the bytes that it allocated in Go's heap.
func timed(work func()) (time.Duration, uint64) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	work()
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}

func accountOf(p *cgoheap.Profiler) *cgoheap.Account {
	a, err := p.Account()
	if err != nil || a.Partial != "" {
		log.Fatal(err, a)
	}
	return a
}

func read(path string) {
	if _, err := os.ReadFile(path); err != nil {
		log.Fatal(err)
	}
}

func median[T cmp.Ordered](list []T) T {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
