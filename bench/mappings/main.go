package main

import (
	"flag"
	"fmt"
	"log"
	"runtime"
	"slices"

	"github.com/cgoheap/cgoheap"
)

var (
	rounds = flag.Int("rounds", 200, "turns of each kind")
	each   = flag.Int("pairs", 500, "pairs of calls in a turn")
	ranges = flag.Int("ranges", 8000, "ranges that are mapped beside them in the last row")
)

func main() {
	flag.Parse()
	runtime.LockOSThread()
	fmt.Println("| a pair of mmap and munmap | ns | the same without hooks | ratio | added to a call, ns | quartiles |")
	fmt.Println("|---|---:|---:|---:|---:|---:|")
	row("linked but stopped")
	p, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		log.Fatal(err)
	}
	row("recorded")
	keep(*ranges)
	row(fmt.Sprintf("recorded, among %d ranges", *ranges))
	if lost := p.Stats().Value("lost_mapped"); lost != 0 {
		log.Fatalf("%d calls were lost", lost)
	}
}

// row measures pairs with hooks and without by turns, and prints a row of the table.
func row(what string) {
	var with, without, ratios, added []float64
	for i := range *rounds {
		first := pairs(*each, i%2 == 0)
		second := pairs(*each, i%2 != 0)
		if i%2 != 0 {
			first, second = second, first
		}
		with, without = append(with, first), append(without, second)
		ratios, added = append(ratios, first/second), append(added, (first-second)/2)
	}
	fmt.Printf("| %s | %.0f | %.0f | %.3f | %.0f | %.0f to %.0f |\n", what, quantile(with, 2), quantile(without, 2), quantile(ratios, 2),
		quantile(added, 2), quantile(added, 1), quantile(added, 3))
}

// quantile returns the value that n quarters of the list are below.
func quantile(list []float64, n int) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[(len(list)-1)*n/4]
}
