package main

import (
	"fmt"
	"strings"
)

// The numbers with which the cost may grow. Each runs through its range while the others stay.
var growths = []struct {
	about, flag string
	values      []int
	shown       func(int) string
}{
	{"threads", "threads", []int{1, 2, 4, 8}, decimal},
	{"calls of C above malloc", "depth", []int{1, 5, 10, 20, 40, 60}, decimal},
	{"blocks live", "live", []int{256, 4096, 65536, 1 << 20}, decimal},
	{"stacks", "routes", []int{0, 4, 8, 12, 15}, func(n int) string { return decimal(1 << n) }},
}

func decimal(n int) string { return fmt.Sprint(n) }

const growthPairs = 2_000_000

// growth shows what a pair costs at several intervals as the work grows, and as the interval shrinks.
func growth(s setup) error {
	with, err := loadGo()
	if err != nil {
		return err
	}
	without, err := loadGo("without")
	if err != nil {
		return err
	}
	bytes := []int{0, 512 << 10, 64 << 10, 1}
	for _, g := range growths {
		s.table.columns("Growth with "+g.about+", ns per pair", g.about, "without", "stopped", "512 KiB", "64 KiB", "every allocation")
		for _, value := range g.values {
			times, err := s.grown(with, without, bytes, fmt.Sprintf("-%s=%d", g.flag, value))
			if err != nil {
				return err
			}
			s.table.row(g.shown(value), times)
		}
	}
	s.table.columns("Growth with the number of samples, ns per pair", "interval, bytes", "without", "recorded")
	for bytes := 4 << 20; bytes >= 64; bytes /= 4 {
		times, err := s.grown(with, without, []int{bytes})
		if err != nil {
			return err
		}
		s.table.row(decimal(bytes), times)
	}
	return nil
}

// grown returns the cost of a pair without us and at each interval.
func (s setup) grown(with, without string, bytes []int, flags ...string) (times []measured, err error) {
	flags = append(flags, paced(growthPairs)...)
	all := []*contender{{name: "without", command: append([]string{without}, flags...)}}
	for _, b := range bytes {
		command := append([]string{with, fmt.Sprint("-sample=", b)}, flags...)
		all = append(all, &contender{name: strings.Join(command, " "), command: command})
	}
	if err := compete(min(s.rounds, growthRounds), all...); err != nil {
		return nil, err
	}
	for _, c := range all {
		times = append(times, c.measured(byCPU))
	}
	return times, nil
}

// growthRounds are enough to see how a cost grows.
const growthRounds = 5
