package main

import "strings"

// A flaky is a test that its own authors know as flaky: at times it skips itself, and names the reason.
type flaky struct {
	test   string // its package and its name
	logs   string // then
	reason string
}

// knownFlaky lists such tests. That they skip themselves decides nothing, and is always printed with the reason.
var knownFlaky = []flaky{
	// The process sends a SIGSEGV to itself. If a thread gets it that is about to return from pthread_sigmask, in runtime/cgo, Go has no
	// names for the stack. That depends on which threads there are and when they start: it came in 12 of 960 runs without cgoheap, in 7 with
	// CGOHEAP=off, in 42 with cgoheap, and in 27 with only one more thread, which blocked all signals and waited.
	{"runtime TestSegv/SegvInCgo", "skipping known flaky test without the -flaky flag; see golang.org/issue/50979",
		"the signal came while Go's runtime was in C code, golang.org/issue/50979"},
}

const known = "known flaky: "

// ofFlaky returns the outcome of a test that skipped itself because it is known as flaky; "" for others.
func (o outcomes) ofFlaky(test string) string {
	for _, k := range knownFlaky {
		if k.test == test && o.of[test] == "skip" && strings.Contains(o.output[test], k.logs) {
			return known + k.reason
		}
	}
	return ""
}

// deciding returns the counts without outcomes that are known as flaky.
func deciding(counts map[string]int) map[string]int {
	rest := make(map[string]int)
	for outcome, n := range counts {
		if !strings.HasPrefix(outcome, known) {
			rest[outcome] = n
		}
	}
	return rest
}
