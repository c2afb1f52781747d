package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// setup is what a contest may need to know before it runs.
type setup struct {
	rounds int
	table  *table
}

// contests in the order in which they are printed.
var contests = []struct {
	name string
	run  func(setup) error
}{
	{"sampling", sampling},
	{"boxed", boxed},
	{"every", every},
	{"dhat", dhat},
	{"peers", peers},
	{"aged", aged},
	{"unwind", walking},
	{"whole", whole},
	{"dump", dump},
	{"service", runsOfService},
	{"large", large},
	{"memory", memory},
	{"rows", rows},
	{"growth", growth},
}

func main() {
	rounds := flag.Int("rounds", 9, "how often each contender runs")
	only := flag.String("only", "", "run the contests whose name begins with this")
	flag.Parse()
	s := setup{max(*rounds, 1), &table{out: os.Stdout}}
	found := false
	for _, c := range contests {
		if !strings.HasPrefix(c.name, *only) {
			continue
		}
		found = true
		if err := c.run(s); err != nil {
			fmt.Fprintf(os.Stderr, "capture: %s: %v\n", c.name, err)
			os.Exit(1)
		}
	}
	if !found {
		fmt.Fprintf(os.Stderr, "capture: no contest is called %s\n", *only)
		os.Exit(2)
	}
}
