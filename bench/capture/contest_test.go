package main

import "testing"

func TestTheWorkPrintsALineForEachSegment(t *testing.T) {
	t.Chdir("..") // where the command is run
	alone, err := loadC(false)
	if err != nil {
		t.Skip("the work in C cannot be built:", err)
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
		t.Skip("the work in C cannot be built:", err)
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
