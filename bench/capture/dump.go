package main

import (
	"fmt"
	"slices"
)

// dumpsPerTurn: the first dump finds the names that later ones reuse.
const dumpsPerTurn = 3

// linesPerDump is how many lines load prints for each dump.
const linesPerDump = 3

// dump measures how long profiles keep other threads from allocating, and the memory that they take meanwhile. A thread's
// own clock stops while it sleeps in malloc, and the wall clock goes on while another thread has its processor, which is not
// our doing. So the target is for the wall clock without the time that the thread spent in the kernel's queue. By the wall
// clock alone, a dump has to be compared with a thread that is merely busy. The host of a virtual machine takes processors
// away unseen by its kernel: such a pause remains, and a loop without malloc has it too.
func dump(s setup) error {
	one, err := s.dumps(1)
	if err != nil {
		return err
	}
	two, err := s.dumps(2)
	if err != nil {
		return err
	}
	s.printDelays(one, two)
	s.printDumps(one, two)
	return nil
}

// dumps returns the dumps of all rounds, while that many threads allocate.
func (s setup) dumps(threads int) (all []dumpFigures, err error) {
	with, err := loadGo()
	if err != nil {
		return nil, err
	}
	c := &contender{name: "dump", command: []string{with, "-sample=1", "-hold=100000", "-stacks=20000",
		fmt.Sprint("-dumps=", dumpsPerTurn), fmt.Sprint("-threads=", threads)}}
	for range s.rounds {
		lines, err := c.run()
		if err != nil {
			return nil, err
		}
		for i := range dumpsPerTurn {
			all = append(all, dumpOf(i, lines[i*linesPerDump:]))
		}
	}
	return all, nil
}

// dumpFigures are the delays without and during a dump, and its time and memory.
type dumpFigures struct {
	first         bool
	quiet, during delay
	cost          figures
}

func dumpOf(i int, lines []figures) dumpFigures {
	quiet, during := delay{lines[0].wall, lines[0].cpu}, delay{lines[1].wall, lines[1].cpu} // two numbers of each line
	return dumpFigures{i == 0, quiet, during, lines[2]}
}

// delay is how long a call took at most, on the wall and without the time in which another thread had the processor.
type delay struct{ wall, kept float64 }

func duringWall(d dumpFigures) float64 { return d.during.wall / 1e6 }
func duringKept(d dumpFigures) float64 { return d.during.kept / 1e6 }
func quietWall(d dumpFigures) float64  { return d.quiet.wall / 1e6 }
func quietKept(d dumpFigures) float64  { return d.quiet.kept / 1e6 }

func (s setup) printDelays(one, two []dumpFigures) {
	const about = "Dump of 100,000 live blocks on 20,000 stacks, while others allocate: the longest malloc or free"
	s.table.head(about, "ms", "during the dump", "while a thread is busy instead")
	for _, row := range []struct {
		about         string
		of            []dumpFigures
		during, quiet func(dumpFigures) float64
	}{
		{"of one thread, by the clock on the wall", one, duringWall, quietWall},
		{"of one thread, without what it waited for a processor", one, duringKept, quietKept},
		{"of two threads, by the clock on the wall", two, duringWall, quietWall},
		{"of two threads, without what they waited for a processor", two, duringKept, quietKept},
	} {
		s.table.print(line{row.about, summary(values(row.of, row.during)), summary(values(row.of, row.quiet)), target{}})
	}
}

func (s setup) printDumps(one, two []dumpFigures) {
	s.table.headAlone("The dump itself", "")
	longest := func(about string, all []dumpFigures, of func(dumpFigures) float64, most float64) {
		s.table.printAlone("longest malloc or free "+about+", ms", summary([]float64{slices.Max(values(all, of))}), most)
	}
	const anyDump, busy = ", during any dump", ", while a thread was busy instead"
	longest("of one thread, by the clock on the wall"+anyDump, one, duringWall, 1)
	longest("of one thread, by the clock on the wall"+busy, one, quietWall, 0)
	longest("of one thread, without what it waited for a processor"+anyDump, one, duringKept, 1)
	longest("of one thread, without what it waited for a processor"+busy, one, quietKept, 0)
	longest("of two threads, without what they waited for a processor"+anyDump, two, duringKept, 1)
	longest("of two threads, without what they waited for a processor"+busy, two, quietKept, 0)
	for _, first := range []bool{true, false} {
		some, about := those(two, first), ", later ones"
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
