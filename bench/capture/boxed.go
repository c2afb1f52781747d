package main

import (
	"fmt"
	"os"
)

// boxed compares a recording whose tables lie in a file, on tmpfs, with one whose tables lie in memory. Then it measures the
// longest malloc or free of each while somebody writes much to the disk of the directory for temporary files.
func boxed(s setup) error {
	with, err := loadGo()
	if err != nil {
		return err
	}
	disk, err := os.MkdirTemp("", "boxed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(disk)
	shared, err := os.MkdirTemp("/dev/shm", "boxed") // contenders are killed, and leave their boxes
	if err != nil {
		return err
	}
	defer os.RemoveAll(shared)
	places := []struct{ about, dir string }{{"on tmpfs", shared}}
	s.table.head("A black box, against tables in memory", "ns per pair", "file", "memory")
	for _, i := range intervals[1:] {
		for threads := 1; threads <= 2; threads++ {
			as := shape{threads: threads}
			command := append([]string{with, fmt.Sprint("-sample=", i.bytes)}, as.flags(pairsPerTurn)...)
			memory := &contender{name: "memory", command: command}
			all := []*contender{memory}
			for _, p := range places {
				all = append(all, &contender{name: p.about, command: append(command[:len(command):len(command)], "-box="+p.dir)})
			}
			if err := compete(s.rounds, all...); err != nil {
				return err
			}
			for n, p := range places {
				about := fmt.Sprint(p.about, ", ", i.about, ", ", as)
				s.table.print(line{about, all[n+1].measured(byCPU), memory.measured(byCPU), target{most: 1.01}})
			}
		}
	}
	s.table.head("Every allocation recorded: the longest malloc or free", "ms", "while somebody writes", "while a thread is busy instead")
	places = append(places, struct{ about, dir string }{"in memory", ""})
	for _, p := range places {
		if err := s.besideWriting(p.about, []string{with, "-sample=1", "-box=" + p.dir, "-writing=" + disk, "-threads=1"}); err != nil {
			return err
		}
	}
	return nil
}

func (s setup) besideWriting(about string, command []string) error {
	c := &contender{name: about, command: command}
	var quiet, during []float64
	for range s.rounds {
		lines, err := c.run()
		if err != nil {
			return err
		}
		quiet, during = append(quiet, lines[0].cpu/1e6), append(during, lines[1].cpu/1e6)
	}
	s.table.print(line{"tables " + about + ", without what it waited for a processor", summary(during), summary(quiet), target{}})
	return nil
}
