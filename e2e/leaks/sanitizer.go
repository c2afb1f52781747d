package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

// sanitized runs a case of a program without Go, and returns what LeakSanitizer reports, by function.
func sanitized(path, name string) (map[string]amount, error) {
	c := exec.Command(path, name, strconv.Itoa(caseBytes))
	// Whole stacks, so that the case's function is found behind a library without frame pointers.
	c.Env = append(os.Environ(), "LSAN_OPTIONS=exitcode=0:max_leaks=0:fast_unwind_on_malloc=0:malloc_context_size=64:print_suppressions=0")
	var report bytes.Buffer
	c.Stderr = &report
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, report.Bytes())
	}
	return leaks(report.Bytes())
}

var (
	leakLine  = regexp.MustCompile(`^(?:Direct|Indirect) leak of (\d+) byte\(s\) in (\d+) object\(s\)`)
	frameLine = regexp.MustCompile(`^ +#\d+ 0x[0-9a-f]+ in (.*)$`)
	fatal     = regexp.MustCompile(`(?m)^.*LeakSanitizer has encountered a fatal error.*$`)
)

// leaks parses a report of LeakSanitizer's. The innermost function of a case's has the bytes.
func leaks(report []byte) (map[string]amount, error) {
	if line := fatal.Find(report); line != nil {
		return nil, fmt.Errorf("%s", line)
	}
	sums := make(map[string]amount)
	var a amount
	name := elsewhere
	add := func() { sums[name] = sums[name].plus(a) }
	for _, line := range bytes.Split(report, []byte("\n")) {
		if match := leakLine.FindSubmatch(line); match != nil {
			add()
			size, _ := strconv.ParseInt(string(match[1]), 10, 64)
			blocks, _ := strconv.ParseInt(string(match[2]), 10, 64)
			a, name = amount{blocks, size}, elsewhere
		}
		if match := frameLine.FindSubmatch(line); match != nil && name == elsewhere {
			if found, ok := function(string(match[1])); ok {
				name = found
			}
		}
	}
	add()
	return sums, nil
}
