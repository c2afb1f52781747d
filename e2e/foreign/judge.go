package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// reruns is how often a test whose outcome differs runs again, on each side.
const reruns = 10

// A verdict is the result of one mode of a suite.
type verdict struct {
	mode      mode
	got       outcomes
	processes int      // in which cgoheap recorded
	wrong     []string // each a sentence
	flakes    []string
}

// judge runs the suite in a mode and compares it with the outcomes without cgoheap.
func (b *bench) judge(m mode, base outcomes) (verdict, error) {
	got, processes, err := b.test(b.with, m.env, b.only)
	v := verdict{mode: m, got: got, processes: processes}
	if err != nil {
		return v, err
	}
	if (processes > 0) != m.records {
		v.wrong = append(v.wrong, fmt.Sprintf("cgoheap recorded in %d processes", processes))
	}
	differing := differences(base, got)
	for _, test := range differing {
		if aPackageOf(differing, test) {
			continue // a test of it shows why
		}
		if err := b.again(&v, test, base.get(test)); err != nil {
			return v, err
		}
	}
	return v, nil
}

// aPackageOf reports whether name is a package or a test, of which another name in the list is a part.
func aPackageOf(list []string, name string) bool {
	return slices.ContainsFunc(list, func(other string) bool {
		return strings.HasPrefix(other, name+" ") || strings.Contains(name, " ") && strings.HasPrefix(other, name+"/")
	})
}

// again runs one test on both sides, several times, and adds it to the faults or to the flakes.
func (b *bench) again(v *verdict, test, base string) error {
	without, err := b.repeat(b.without, nil, test)
	if err != nil {
		return err
	}
	with, err := b.repeat(b.with, v.mode.env, test)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("%s: %s without, %s with; again: %s without, %s with", test, base, v.got.get(test), list(without), list(with))
	if same(without, with) {
		v.flakes = append(v.flakes, said)
	} else {
		v.wrong = append(v.wrong, said+"\n"+v.got.output[test])
	}
	return nil
}

// same reports whether two sides have the same set of outcomes, apart from those that are known as flaky: there must be others on each
// side. A test that never ran alone decides nothing.
func same(a, b map[string]int) bool {
	a, b = deciding(a), deciding(b)
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	return a[notRun]+b[notRun] == 0 && slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
}

func list(counts map[string]int) string {
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[outcome], outcome))
	}
	return strings.Join(parts, ", ")
}

func (b *bench) repeat(c copied, env []string, test string) (map[string]int, error) {
	counts := make(map[string]int)
	for range reruns {
		o, _, err := b.test(c, env, alone(test, b.only))
		if err != nil {
			return nil, err
		}
		counts[o.get(test)]++
	}
	return counts, nil
}

// alone returns an expression for -run that matches only the test; for a package, the suite's own.
func alone(test, only string) string {
	_, name, isTest := strings.Cut(test, " ")
	if !isTest {
		return only
	}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
