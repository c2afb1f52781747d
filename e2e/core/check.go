package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/truth"
)

// A check compares a profile with what was allocated.
type check struct {
	sites     sites
	arguments []string
}

// faults are what is wrong, one per line.
func (c check) faults(p *profile.Profile, stats cgoheap.Stats) (faults []string) {
	bySize := truth.BySize(p)
	for _, s := range c.sites {
		faults = append(faults, c.truth(s).Faults(bySize[s.size])...)
	}
	faults = append(faults, c.leftovers(p)...)
	var tolerated []string
	if c.has("blindlibc") { // a thread's outermost frame is in libc
		tolerated = append(tolerated, "stacks_cut_no_unwind_data")
	}
	if c.unseenNew() {
		tolerated = append(tolerated, "operators_unseen")
		if stats.Value("operators_unseen") == 0 {
			faults = append(faults, "no counter shows that an operator new is not seen")
		}
	}
	return append(faults, truth.Losses(stats, tolerated...)...)
}

// leftovers are blocks that count as in use although they were resized. Only where C has names can they be found.
func (c check) leftovers(p *profile.Profile) (faults []string) {
	for _, sample := range p.Sample {
		if names := truth.Names(sample); slices.Contains(names, "core_small") && sample.Value[truth.InuseBytes] != 0 {
			faults = append(faults, "a block that was resized is in use:\n\t"+strings.Join(names, "\n\t"))
		}
	}
	return faults
}

func (c check) has(argument string) bool { return slices.Contains(c.arguments, argument) }

// unseenNew reports whether there is an operator new that is not seen: the program's, or one that only libraries use.
func (c check) unseenNew() bool { return c.has("blindnew") || c.has("othernew") }

// truth returns what a profile of this build can contain for a site.
func (c check) truth(s *site) truth.Site {
	want := truth.Site{Values: truth.Blocks(s.size, perVisit, kept)}
	if s.frames[0] == "core_new" && c.has("blindnew") || s.frames[0] == "core_strdup" && c.has("blindstrdup") {
		want.Values = truth.Values{}
	}
	if s.frames[0] == "core_strdup" && c.has("blindlibc") {
		return want
	}
	for _, frame := range s.frames {
		if !strings.HasPrefix(frame, "core_") || !c.has("unnamed") {
			want.Frames = append(want.Frames, c.name(frame))
		}
	}
	return want
}

// name returns a frame's name in this build. In a plugin, package main has the name of its path.
func (c check) name(frame string) string {
	if function, ok := strings.CutPrefix(frame, "main."); ok && c.has("plugin") {
		return reflect.TypeFor[check]().PkgPath() + "." + function
	}
	return frame
}
