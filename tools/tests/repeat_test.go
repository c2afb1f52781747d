package main

import "testing"

func TestATableSaysWhatFailsHowOften(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	dir := module(t, countingTests+`
func TestSometimes(t *testing.T) { failsIn(t, 2, 3, 4) }
func TestDies(t *testing.T) { if run(t, "d") == 4 { os.Exit(3) } }`)
	out := ran(t, false, "-repeat", "4", dir, "--", ".")
	contains(t, out, "run 2 of 4", "bad in run 2", "run 4 of 4", "2 of 4 tests and packages failed in some run\n",
		"0 of 2, busy    1 of 2  scratch TestDies\n", "1 of 2, busy    2 of 2  scratch TestSometimes\n", "4 failed")
	out = ran(t, true, "-repeat", "2", module(t, "package scratch\nimport \"testing\"\nfunc TestA(t *testing.T) {}"), "--", ".")
	contains(t, out, "0 of 2 tests and packages failed in some run\n", "tests: 2 passed, 0 failed")
}
