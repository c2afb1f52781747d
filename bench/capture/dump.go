package main

import "fmt"

// dumpsPerTurn: the first names what later ones know.
const dumpsPerTurn = 3

// linesPerDump are those that load prints for each.
const linesPerDump = 3

// dump measures how long profiles keep others from allocating, and what memory they take meanwhile.
func dump(s setup) error {
	with, err := loadGo()
	if err != nil {
		return err
	}
	c := &contender{name: "dump", command: []string{with, "-sample=1", "-hold=100000", "-stacks=20000",
		fmt.Sprint("-dumps=", dumpsPerTurn)}}
	var all []dumpFigures
	for range s.rounds {
		lines, err := c.run()
		if err != nil {
			return err
		}
		for i := range dumpsPerTurn {
			all = append(all, dumpFigures{i == 0, lines[i*linesPerDump], lines[i*linesPerDump+1], lines[i*linesPerDump+2]})
		}
	}
	s.printDumps(all)
	return nil
}

// dumpFigures are the delays without and during a dump, and its time and memory.
type dumpFigures struct {
	first               bool
	quiet, during, cost figures
}

func (s setup) printDumps(all []dumpFigures) {
	const about = "Dump of 100,000 live blocks on 20,000 stacks, while two threads allocate: the longest malloc or free"
	s.table.head(about, "ms", "during the dump", "while a third thread is busy")
	pick := func(of func(dumpFigures) float64) measured { return summary(values(all, of)) }
	s.table.print(line{"by the thread's own clock, which stops when another has the processor",
		pick(func(d dumpFigures) float64 { return d.during.cpu / 1e6 }), pick(func(d dumpFigures) float64 { return d.quiet.cpu / 1e6 }), mark{}})
	s.table.print(line{"by the clock on the wall",
		pick(func(d dumpFigures) float64 { return d.during.wall / 1e6 }), pick(func(d dumpFigures) float64 { return d.quiet.wall / 1e6 }), mark{}})
	longest := 0.0
	for _, d := range all {
		longest = max(longest, d.during.cpu/1e6)
	}
	s.table.headAlone("The dump itself", "")
	s.table.printAlone("longest malloc or free of all dumps, own clock, ms", summary([]float64{longest}), 1)
	for _, first := range []bool{true, false} {
		some, about := those(all, first), ", later ones"
		if first {
			about = ", first of the process, which reads debug data for names"
		}
		s.table.printAlone("time, ms"+about, summary(values(some, func(d dumpFigures) float64 { return d.cost.wall / 1e6 })), 0)
		s.table.printAlone("memory, MiB"+about, summary(values(some, func(d dumpFigures) float64 { return d.cost.cpu / (1 << 20) })), 16)
	}
}

func those(all []dumpFigures, first bool) (some []dumpFigures) {
	for _, d := range all {
		if d.first == first {
			some = append(some, d)
		}
	}
	return some
}
