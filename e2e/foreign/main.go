package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	race := flag.Bool("race", false, "run all under the race detector")
	leaks := flag.Bool("leaktest", false, "have every test of the suites check for leaks, as they are and with one planted, instead")
	flag.Parse()
	chosen, err := selected(suites(), flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		os.Exit(2)
	}
	dir, err := os.MkdirTemp("", "cgoheap-foreign-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		os.Exit(2)
	}
	if *leaks {
		right := checkLeaks(chosen, dir)
		os.RemoveAll(dir)
		if !right {
			os.Exit(1)
		}
		return
	}
	rows := runAll(chosen, dir, *race)
	os.RemoveAll(dir)
	fmt.Println()
	printTable(os.Stdout, rows)
	if slices.ContainsFunc(rows, func(r row) bool { return !r.equal }) {
		os.Exit(1)
	}
}

// selected returns the suites with the names; all if there are none.
func selected(all []suite, names []string) ([]suite, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []suite
	for _, name := range names {
		i := slices.IndexFunc(all, func(s suite) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no suite is called %s", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// runAll runs the suites, one after the other.
func runAll(chosen []suite, dir string, race bool) []row {
	var rows []row
	t := &tree{dir: filepath.Join(dir, "go")}
	for _, s := range chosen {
		b, err := prepare(s, filepath.Join(dir, s.name), t)
		if err != nil {
			fmt.Printf("== %s: not run: %v\n", s.name, err)
			rows = append(rows, row{suite: s.name})
			continue
		}
		b.race = race
		rows = append(rows, b.run())
	}
	return rows
}

func prepare(s suite, dir string, t *tree) (*bench, error) {
	for _, part := range []string{"without", "with"} {
		if err := os.MkdirAll(filepath.Join(dir, part), 0o755); err != nil {
			return nil, err
		}
	}
	return newBench(s, dir, t)
}

// run prints a line per run of the suite, and the differences.
func (b *bench) run() row {
	fmt.Printf("== %s %s\n", b.suite.name, b.suite.module)
	r := row{suite: b.suite.name}
	start := time.Now()
	base, _, err := b.test(b.without, nil, b.only)
	if err != nil {
		fmt.Printf("   failed without cgoheap: %v\n", err)
		return r
	}
	r.runs = append(r.runs, &base)
	line("without", base, start)
	for _, skip := range base.skips() {
		fmt.Printf("   skipped: %.300s\n", skip)
	}
	r.equal = true
	for _, m := range modes {
		start = time.Now()
		v, err := b.judge(m, base)
		if err != nil {
			fmt.Printf("   failed with cgoheap, %s: %v\n", m.name, err)
			r.add(nil, verdict{wrong: []string{err.Error()}})
			continue
		}
		line(m.name, v.got, start)
		v.print()
		r.add(&v.got, v)
	}
	return r
}

func line(name string, o outcomes, start time.Time) {
	fmt.Printf("   %-14s %4d tests, %4d passed, %d failed, %d skipped, %.0f s\n", name, o.count(""), o.count("pass"),
		o.count("fail")+o.count(unfinished), o.count("skip"), time.Since(start).Seconds())
}

// print prints faults and flakes.
func (v verdict) print() {
	for _, flake := range v.flakes {
		fmt.Printf("   flake: %s\n", flake)
	}
	for _, wrong := range v.wrong {
		fmt.Printf("   DIFFERS: %.4000s\n", wrong)
	}
	if v.mode.records {
		fmt.Printf("                  cgoheap recorded in %d processes\n", v.processes)
	}
}
