package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// caseBytes is what each allocating function of a case takes, about.
const caseBytes = 16 << 20

const sampleBytes = 64 << 10

// onFirstThread runs the cases on the first thread of their processes, whose blocks lie at low addresses: numbers look like pointers there,
// and the marks need not be reached.
var onFirstThread bool

func main() {
	atOnce := flag.Int("at-once", 4, "how many cases run at the same time; they mostly wait")
	flag.BoolVar(&onFirstThread, "first", false, "run the cases on the first thread of their processes")
	flag.Parse()
	if err := show(flag.Args(), *atOnce); err != nil {
		fmt.Fprintln(os.Stderr, "leaks:", err)
		os.Exit(1)
	}
}

func show(names []string, atOnce int) error {
	dir, err := os.MkdirTemp("", "cgoheap-leaks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	todo, err := prepare(dir, names)
	if err != nil {
		return err
	}
	verdicts, err := try(todo, atOnce)
	if err != nil {
		return err
	}
	printTables(os.Stdout, verdicts)
	return faults(verdicts)
}

// task is a case that is to be run.
type task struct {
	program *built
	name    string
	needsGo bool
}

// prepare builds the programs of the names, and returns their cases. A name is a program's, or PROGRAM/CASE.
func prepare(dir string, names []string) (todo []task, err error) {
	chosen := slices.DeleteFunc(slices.Clone(programs), func(p program) bool {
		return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name+"/", p.folder+"/") })
	})
	if err := install(chosen); err != nil {
		return nil, err
	}
	builds, failed := make([]*built, len(chosen)), make([]error, len(chosen))
	var building sync.WaitGroup
	for i := range chosen {
		building.Go(func() { builds[i], failed[i] = chosen[i].build(dir) })
	}
	building.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	for i, p := range chosen {
		for _, c := range builds[i].cases {
			if len(names) == 0 || slices.Contains(names, p.folder) || slices.Contains(names, p.folder+"/"+c.Name) {
				todo = append(todo, task{builds[i], c.Name, c.Go})
			}
		}
	}
	if len(todo) == 0 {
		return nil, fmt.Errorf("no case is called %s", strings.Join(names, " or "))
	}
	return todo, nil
}

// try runs the cases, some at a time.
func try(todo []task, atOnce int) ([]*verdict, error) {
	verdicts, failed := make([]*verdict, len(todo)), make([]error, len(todo))
	places := make(chan bool, atOnce)
	var running sync.WaitGroup
	for i := range todo {
		places <- true
		running.Go(func() {
			verdicts[i], failed[i] = todo[i].run()
			<-places
		})
	}
	running.Wait()
	return verdicts, errors.Join(failed...)
}

// tries is how often a case is run, at most, whose lost blocks are held by a word that looks like a pointer: what is chance differs from one
// process to the next. Of 159 runs none missed; one that misses in a process of 20 misses in all tries in 3 of 10^7, which is a false alarm.
// What misses in some processes only may be a fault of the product, and is found only if all tries miss: so each that missed is recorded as
// flaky, and with one of these no run counts as passed. A wrong precision is never tried again.
const tries = 5

func (t *task) run() (v *verdict, err error) {
	begin := time.Now()
	defer func() { fmt.Fprintf(os.Stderr, "== %s: run in %.0f s\n", t.name, time.Since(begin).Seconds()) }()
	return untilFound(t.name, os.Getenv("RECORD"), t.once)
}

// untilFound runs a case until nothing is missed, at most tries times, and records the tries before.
func untilFound(name, record string, once func() (*verdict, error)) (v *verdict, err error) {
	var missed []string
	for try := 1; ; try++ {
		if v, err = once(); err != nil {
			return v, err
		}
		if !v.onlyMisses() || try == tries {
			if len(v.faults) == 0 && try > 1 {
				err = recordFlaky(record, flaky{"e2e/leaks " + name, try - 1, try, strings.Join(missed, "\n")})
			}
			return v, err
		}
		for _, fault := range v.faults {
			fmt.Fprintf(os.Stderr, "== %s is run again: %s\n", name, fault)
		}
		missed = append(missed, v.faults...)
	}
}

func (t *task) once() (*verdict, error) {
	whole, err := observe(t.program.recording, t.name, 1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	sampled, err := observe(t.program.recording, t.name, sampleBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	var found map[string]amount
	if !t.needsGo {
		if found, err = sanitized(t.program.plain, t.name); err != nil {
			return nil, err
		}
	}
	return judge(t.name, whole, sampled, found), nil
}

// faults prints what does not hold.
func faults(verdicts []*verdict) error {
	var all verdict
	n := 0
	for _, v := range verdicts {
		all.add(v)
		for _, fault := range v.faults {
			fmt.Printf("FAILED: %s: %s\n", v.name, fault)
			n++
		}
	}
	for _, u := range []unit{inBytes, inBlocks} {
		if recall := all.whole.recall(u); recall < wholeRecall && !onFirstThread {
			fmt.Printf("FAILED: recorded whole, recall is %s of %s\n", percent(recall), u.name)
			n++
		}
	}
	if recall := all.sampled.recall(inBytes); recall < sampledRecall && !onFirstThread {
		fmt.Printf("FAILED: at 64 KiB, recall of the truth is %s\n", percent(recall))
		n++
	}
	fmt.Printf("at 64 KiB, of the bytes that are lost in truth, %s are said to be unreachable\n", percent(all.sampled.recall(inBytes)))
	if n > 0 {
		return fmt.Errorf("%d faults", n)
	}
	return nil
}
