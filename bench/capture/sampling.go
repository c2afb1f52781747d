package main

import "fmt"

// The targets of a program with cgoheap: stopped, and at the usual intervals.
var intervals = []struct {
	about  string
	bytes  int
	target target
	tight  target // in a loop of malloc and free alone: an interposer that only counts takes 1.05 to 1.07
}{
	{"linked but stopped", 0, target{most: 1.01}, target{most: 1.01}},
	{"every 512 KiB", 512 << 10, target{most: 1.03}, target{most: 1.10}},
	{"every 64 KiB", 64 << 10, target{most: 1.10}, target{most: 1.15}},
}

const pairsPerTurn = 5_000_000

// sampling compares a Go program that has cgoheap with the same one without it.
func sampling(s setup) error {
	with, err := loadGo()
	if err != nil {
		return err
	}
	without, err := loadGo("without")
	if err != nil {
		return err
	}
	s.table.head("Sampling, against the same program without cgoheap", "ns per pair", "with", "without")
	for _, tight := range []bool{false, true} {
		for threads := 1; threads <= 2; threads++ {
			if err := s.sample(with, without, shape{threads: threads, tight: tight}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s setup) sample(with, without string, as shape) error {
	flags := as.flags(pairsPerTurn)
	plain := &contender{name: "without", command: append([]string{without}, flags...)}
	all := []*contender{plain}
	for _, i := range intervals {
		command := append([]string{with, fmt.Sprint("-sample=", i.bytes)}, flags...)
		all = append(all, &contender{name: i.about, command: command})
	}
	if err := compete(s.rounds, all...); err != nil {
		return err
	}
	for n, i := range intervals {
		about, wanted := fmt.Sprint(i.about, ", ", as), i.target
		if as.tight {
			wanted = i.tight
		}
		s.table.print(line{about, all[n+1].measured(byCPU), plain.measured(byCPU), wanted})
	}
	return nil
}
