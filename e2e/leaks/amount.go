package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/google/pprof/profile"
)

// amount is blocks and bytes.
type amount struct{ blocks, bytes int64 }

func (a amount) plus(b amount) amount { return amount{a.blocks + b.blocks, a.bytes + b.bytes} }

func (a amount) String() string { return fmt.Sprintf("%d bytes in %d blocks", a.bytes, a.blocks) }

// atMost returns the lesser of each.
func (a amount) atMost(b amount) amount {
	return amount{min(a.blocks, b.blocks), min(a.bytes, b.bytes)}
}

// elsewhere stands for all functions that are not a case's.
const elsewhere = "elsewhere"

// Fates of blocks, by which the names of functions begin. trial/trial.h describes them.
const (
	lost   = "lost"
	kept   = "kept"
	freed  = "freed"
	hidden = "hidden"
	linked = "linked"
)

var ofCase = regexp.MustCompile(`^(?:.*::)?((?:` + lost + `|` + kept + `|` + freed + `|` + hidden + `|` + linked + `)_\w+)`)

// function returns the name of a case's function from that of a frame.
func function(frame string) (name string, ok bool) {
	match := ofCase.FindStringSubmatch(strings.TrimPrefix(frame, "(anonymous namespace)::"))
	if match == nil {
		return "", false
	}
	return match[1], true
}

// allocator returns the innermost function of a case's on a sample's stack.
func allocator(s *profile.Sample) string {
	for _, location := range s.Location {
		for _, line := range location.Line {
			if name, ok := function(line.Function.Name); ok {
				return name
			}
		}
	}
	return elsewhere
}

// fate returns what becomes of a function's blocks. What is not a case's is kept.
func fate(function string) string {
	name, _, found := strings.Cut(function, "_")
	if !found {
		return kept
	}
	return name
}

// inUse returns a sample's last two values: blocks and bytes in use.
func inUse(s *profile.Sample) amount {
	n := len(s.Value)
	return amount{s.Value[n-2], s.Value[n-1]}
}

// byFunction sums a profile by the case's functions.
func byFunction(p *profile.Profile) map[string]amount {
	sums := make(map[string]amount)
	for _, s := range p.Sample {
		name := allocator(s)
		sums[name] = sums[name].plus(inUse(s))
	}
	return sums
}

// heldAs returns of each function how much is held as its regular expression says. The holder is the root of a stack.
func heldAs(p *profile.Profile, holders map[string]*regexp.Regexp) map[string]amount {
	sums := make(map[string]amount)
	for _, s := range p.Sample {
		name := allocator(s)
		if holder := holders[name]; holder != nil && holder.MatchString(root(s)) {
			sums[name] = sums[name].plus(inUse(s))
		}
	}
	return sums
}

func root(s *profile.Sample) string {
	if len(s.Location) == 0 {
		return ""
	}
	lines := s.Location[len(s.Location)-1].Line
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1].Function.Name
}
