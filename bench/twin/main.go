package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"log"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

var (
	size   = flag.Float64("bytes", 10e9, "bytes of the program's")
	names  = flag.String("kinds", "block,table,list,huge,huge table,huge list", "what they are in, each in a process of its own")
	rounds = flag.Int("rounds", 5, "forks, and searches")
	sample = flag.Int64("sample", 0, "bytes between samples; 0 means the default")
	child  = flag.Bool("child", false, "fill this process with the kind, and measure")
)

func main() {
	flag.Parse()
	if *child {
		measure(*names)
		return
	}
	fmt.Println("| in | GB | pause, ms | ms for a GB | fork by libc, ms | pause / fork | looked at, GB | GB a second of processor time | taken |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
	for name := range strings.SplitSeq(*names, ",") {
		if err := again(name, "-bytes", fmt.Sprint(*size), "-rounds", fmt.Sprint(*rounds), "-sample", fmt.Sprint(*sample)); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
}

// measure prints a row of the table.
func measure(name string) {
	k, known := kinds[name]
	if !known {
		log.Fatalf("the kind is one of %v", slices.Sorted(maps.Keys(kinds)))
	}
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: *sample})
	if err != nil {
		log.Fatal(err)
	}
	k.fill(int(*size))
	time.Sleep(time.Second)
	var pauses, forks, ratios []time.Duration
	var rates, looked []float64
	var last cost
	for range *rounds {
		took := fork()
		last = search(p)
		pauses, forks, ratios = append(pauses, last.pause), append(forks, took), append(ratios, last.pause*1000/took)
		rates, looked = append(rates, last.looked/last.busy.Seconds()), append(looked, last.looked)
	}
	fmt.Printf("| %s | %.1f | %.1f | %.1f | %.1f | %.2f | %.1f | %.1f | %s |\n", k.about, *size/1e9, ms(median(pauses)),
		ms(median(pauses))/(*size/1e9), ms(median(forks)), float64(median(ratios))/1000, median(looked)/1e9, median(rates)/1e9, last.own)
}

// cost is what a search cost: of all copies, but the pause, which is of the longest.
type cost struct {
	pause, busy time.Duration
	looked      float64 // bytes
	own         string  // memory that it took
}

var comment = regexp.MustCompile(`found by .* of the process, for which it stood still for (\S+); looked at were (\S+) (\S+) in (\S+), (\S+) of processor time, and ` +
	`(\S+ \S+) of memory taken`)

// search writes the view heldby, and reads what its comment says.
func search(p *cgoheap.Profiler) cost {
	var out bytes.Buffer
	if err := p.Write(&out, cgoheap.Selection{View: cgoheap.ViewHeldBy(false)}); err != nil {
		log.Fatal(err)
	}
	parsed, err := profile.Parse(&out)
	if err != nil {
		log.Fatal(err)
	}
	m := comment.FindStringSubmatch(strings.Join(parsed.Comments, "\n"))
	if m == nil {
		log.Fatalf("no comment says what it cost: %q", parsed.Comments)
	}
	return cost{pause: duration(m[1]), busy: duration(m[5]), looked: amount(m[2]) * units[m[3]], own: m[6]}
}

var units = map[string]float64{"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

func duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		log.Fatal(err)
	}
	return d
}

func amount(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		log.Fatal(err)
	}
	return f
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median[T cmp.Ordered](list []T) T {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
