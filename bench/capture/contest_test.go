package main

import (
	"errors"
	"testing"
)

func TestTheWorkPrintsALineForEachSegment(t *testing.T) {
	t.Chdir("..") // where the command is run
	alone, err := loadC(false)
	if err != nil {
		t.Fatal("the work in C cannot be built: ", err)
	}
	segments, err := (&contender{name: "alone", command: []string{alone, "-pairs=1000", "-segments=3", "-threads=2"}}).run()
	if err != nil {
		t.Fatal(err)
	}
	if len(segments) != 3 {
		t.Fatalf("%d lines, want 3", len(segments))
	}
	for _, f := range segments {
		if f.wall <= 0 || f.cpu <= 0 {
			t.Errorf("a pair took %+v", f)
		}
	}
}

func TestAContenderThatFailsIsNotMeasured(t *testing.T) {
	for about, command := range map[string][]string{
		"it exits with an error": {"false"},
		"it prints nothing":      {"true"},
		"it prints words":        {"echo", "no figures"},
	} {
		if _, err := (&contender{name: about, command: command}).run(); err == nil {
			t.Errorf("%s: no error", about)
		}
	}
}

func TestContendersTakeTurns(t *testing.T) {
	t.Chdir("..") // where the command is run
	alone, err := loadC(false)
	if err != nil {
		t.Fatal("the work in C cannot be built: ", err)
	}
	command := append([]string{alone}, shape{threads: 2}.flags(20_000)...)
	a, b := &contender{name: "a", command: command}, &contender{name: "b", command: command}
	if err := compete(3, a, b); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*contender{a, b} {
		if len(c.figures) != 3 || c.measured(byCPU).least <= 0 {
			t.Errorf("%s: %+v, want three figures", c.name, c.figures)
		}
	}
	if err := compete(1, a, &contender{name: "it ends at once", command: []string{"true"}}); err == nil {
		t.Error("a contender that ends at once is no error")
	}
}

func TestOnlyAMissingPeerIsLeftOut(t *testing.T) {
	t.Chdir("..") // where the command is run
	alone, err := loadC(false)
	if err != nil {
		t.Fatal("the work in C cannot be built: ", err)
	}
	nobody := profiledAllocator{"nobody", "libnobody-has-this.so.1", jemallocAt, target{}}
	if err := nobody.preloaded(alone); !errors.Is(err, errMissing) {
		t.Errorf("a library that is not there: %v", err)
	}
	glibc := profiledAllocator{"glibc", "libc.so.6", jemallocAt, target{}}
	if err := glibc.preloaded(alone); err != nil {
		t.Errorf("a library that is there: %v", err)
	}
	if err := glibc.preloaded("false"); err == nil || errors.Is(err, errMissing) {
		t.Errorf("a program that fails: %v", err)
	}
}

func TestEachDumpPrintsItsDelays(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	t.Chdir("..") // where the command is run
	for threads := 1; threads <= 2; threads++ {
		all, err := setup{rounds: 1}.dumps(threads)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != dumpsPerTurn || len(those(all, true)) != 1 {
			t.Fatalf("%d threads: %d dumps, %d first ones", threads, len(all), len(those(all, true)))
		}
		for _, d := range all {
			if duringKept(d) <= 0 || quietKept(d) <= 0 || duringWall(d) < duringKept(d) || quietWall(d) < quietKept(d) || d.cost.wall <= 0 {
				t.Errorf("%d threads: %+v", threads, d)
			}
		}
	}
}
