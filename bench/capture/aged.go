package main

import "fmt"

// agedSegments of agedPairs are 200 million pairs.
const agedSegments, agedPairs = 40, 5_000_000

// aged compares the last of 200 million pairs with the first of the same process: neither the filter that lets free pass nor
// the table of live samples may fill up with freed blocks. The same program without cgoheap shows how much of a difference
// is the allocator's own.
func aged(s setup) error {
	with, err := loadGo()
	if err != nil {
		return err
	}
	without, err := loadGo("without")
	if err != nil {
		return err
	}
	s.table.head("After 200 million pairs", "ns per pair", "the last 5 million", "the first 5 million")
	flags := []string{fmt.Sprint("-pairs=", agedPairs), fmt.Sprint("-segments=", agedSegments)}
	all := []*ageing{{contender: contender{name: "without", command: append([]string{without}, flags...)}}}
	for _, i := range intervals[1:] {
		command := append([]string{with, fmt.Sprint("-sample=", i.bytes)}, flags...)
		all = append(all, &ageing{contender: contender{name: i.about, command: command}, target: target{most: 1.01}})
	}
	for range s.rounds {
		for _, a := range all {
			if err := a.age(); err != nil {
				return err
			}
		}
	}
	for _, a := range all {
		s.table.print(line{a.name, summary(a.last), summary(a.first), a.target})
	}
	return nil
}

// ageing is a contender that is compared with itself.
type ageing struct {
	contender
	target      target
	first, last []float64
}

func (a *ageing) age() error {
	segments, err := a.run()
	if err != nil {
		return err
	}
	a.first, a.last = append(a.first, segments[0].cpu), append(a.last, segments[len(segments)-1].cpu)
	return nil
}
