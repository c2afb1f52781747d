package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/e2e/leaks/truth"
)

// score compares what was reported as lost with what is.
type score struct {
	truth    amount // lost
	recorded amount // of that, what the profile has in use
	found    amount // of that, what was reported
	wrong    amount // was reported too
}

func (s score) plus(t score) score {
	return score{s.truth.plus(t.truth), s.recorded.plus(t.recorded), s.found.plus(t.found), s.wrong.plus(t.wrong)}
}

// unit is bytes or blocks.
type unit struct {
	name string
	of   func(amount) int64
}

var (
	inBytes  = unit{"bytes", func(a amount) int64 { return a.bytes }}
	inBlocks = unit{"blocks", func(a amount) int64 { return a.blocks }}
)

// share returns part of all, and 1 of nothing.
func share(part, all int64) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

func (s score) precision(u unit) float64 { return share(u.of(s.found), u.of(s.found)+u.of(s.wrong)) }
func (s score) recall(u unit) float64    { return share(u.of(s.found), u.of(s.truth)) }

// recalled is the recall of what was recorded: it does not depend on what chance recorded.
func (s score) recalled(u unit) float64 { return share(u.of(s.found), u.of(s.recorded)) }

// untold is a function of which nobody can tell.
type untold struct {
	function                   string
	truth, reported, sanitizer amount
}

// verdict is what is known of a case.
type verdict struct {
	name           string
	sanitized      bool // LeakSanitizer looked
	whole, sampled score
	sanitizer      score
	kept, held     amount // by functions whose holder is known; held as it says. Recorded whole
	untold         []untold
	faults         []string
	misses         int // of the faults: too few lost blocks were found
}

// onlyMisses reports whether nothing is wrong but that too few lost blocks were found.
func (v *verdict) onlyMisses() bool { return v.misses > 0 && v.misses == len(v.faults) }

// miss is a fault if too few lost blocks were found.
func (v *verdict) miss(found float64, format string, a ...any) {
	if found < caseRecall {
		v.misses++
		v.fault(true, format, a...)
	}
}

func (v *verdict) fault(bad bool, format string, a ...any) {
	if bad {
		v.faults = append(v.faults, fmt.Sprintf(format, a...))
	}
}

// The least that must hold: precision at 64 KiB in each case, recall in all together. Recorded whole, nothing may be wrong. One word that looks like a pointer to a lost structure holds
// all of it, so a single case may have less, and one with much less is run again.
const (
	caseRecall = 0.75

	wholeRecall                     = 0.95
	sampledPrecision, sampledRecall = 0.95, 0.90
	heldShare                       = 0.95
)

// judge compares the profiles of a case, recorded whole and sampled, and what LeakSanitizer reported, nil if it did not look.
func judge(name string, whole, sampled *observed, sanitizer map[string]amount) *verdict {
	v := &verdict{name: name, sanitized: sanitizer != nil}
	recorded := byFunction(whole.inUse)
	truth := v.truth(whole.truth, recorded)
	v.whole, v.sampled = scoreOf(truth, recorded, nil), scoreOf(truth, byFunction(sampled.inUse), nil)
	if v.sanitized {
		v.sanitizer = scoreOf(truth, truth, sanitizer)
	}
	v.untold = untoldOf(truth, nil, sanitizer)
	if v.fault(whole.refused != nil, "%v", whole.refused); whole.refused != nil {
		return v
	}
	if v.fault(sampled.refused != nil, "%v", sampled.refused); sampled.refused != nil {
		return v
	}
	v.whole = v.score("recorded whole", truth, recorded, whole)
	v.sampled = v.score("at 64 KiB", truth, byFunction(sampled.inUse), sampled)
	v.untold = untoldOf(truth, byFunction(whole.unreachable), sanitizer)
	v.judgeScores()
	v.judgeHolders(whole)
	v.judgeSentences(whole)
	return v
}

// remains is how many bytes a library may keep of what was freed, such as an entry in a table of its own, or lose by itself.
const remains = 4096

// truth returns what each function has in use: what the program counted, or what is recorded where it did not count.
func (v *verdict) truth(rows []truth.Row, recorded map[string]amount) map[string]amount {
	truth := make(map[string]amount)
	for _, row := range rows {
		counted := amount{row.Blocks, row.Bytes}
		if counted == (amount{}) && fate(row.Function) != freed {
			counted = recorded[row.Function]
		}
		off := counted != recorded[row.Function] && (fate(row.Function) != freed || recorded[row.Function].bytes > remains)
		v.fault(off, "%s has %v in use, recorded are %v", row.Function, counted, recorded[row.Function])
		v.fault(counted == (amount{}) && fate(row.Function) != freed, "%s has nothing in use", row.Function)
		truth[row.Function] = counted
	}
	return truth
}

// scoreOf counts more than there is to find as wrong.
func scoreOf(truth, recorded, reported map[string]amount) (s score) {
	for name, a := range truth {
		if fate(name) == lost {
			s.truth, s.recorded = s.truth.plus(a), s.recorded.plus(recorded[name])
		}
	}
	for name, a := range reported {
		switch fate(name) {
		case lost:
			good := a.atMost(recorded[name])
			s.found = s.found.plus(good)
			s.wrong = s.wrong.plus(amount{a.blocks - good.blocks, a.bytes - good.bytes})
		case kept, freed:
			s.wrong = s.wrong.plus(a)
		}
	}
	return s
}

// score also names each function of which too little is reported, or something wrongly.
func (v *verdict) score(how string, truth, recorded map[string]amount, o *observed) score {
	reported := byFunction(o.unreachable)
	for _, name := range slices.Sorted(maps.Keys(truth)) {
		part := share(reported[name].bytes, recorded[name].bytes)
		if fate(name) == lost {
			v.miss(part, "%s: of %s, %s are said to be unreachable; of the rest, %s", how, name, percent(part), mostly(o.heldBy, name))
		}
	}
	v.explain(how, o.unreachable)
	return scoreOf(truth, recorded, reported)
}

// explain names what is wrongly reported, with the largest stack of each function, if it is more than a hundredth.
func (v *verdict) explain(how string, p *profile.Profile) {
	total := amount{}
	largest := make(map[string]*profile.Sample)
	for _, s := range p.Sample {
		total = total.plus(inUse(s))
		name := allocator(s)
		if f := fate(name); (f == kept || f == freed) && (largest[name] == nil || inUse(s).bytes > inUse(largest[name]).bytes) {
			largest[name] = s
		}
	}
	sums := byFunction(p)
	for _, name := range slices.Sorted(maps.Keys(largest)) {
		v.fault(sums[name].bytes > total.bytes/100, "%s: %v of %s are said to be unreachable, as %s", how, sums[name], name, stack(largest[name]))
	}
}

func stack(s *profile.Sample) string {
	var names []string
	for _, location := range s.Location {
		for _, line := range location.Line {
			names = append(names, line.Function.Name)
		}
	}
	return strings.Join(names, " < ")
}

func untoldOf(truth, reported, sanitizer map[string]amount) (list []untold) {
	for _, name := range slices.Sorted(maps.Keys(truth)) {
		if f := fate(name); f == hidden || f == linked {
			list = append(list, untold{name, truth[name], reported[name], sanitizer[name]})
		}
	}
	return list
}

func (v *verdict) judgeScores() {
	v.fault(v.whole.wrong.bytes > remains, "recorded whole, %d bytes in %d blocks are said to be unreachable, and are not lost",
		v.whole.wrong.bytes, v.whole.wrong.blocks)
	for _, u := range []unit{inBytes, inBlocks} {
		v.miss(v.whole.recall(u), "recorded whole, recall is %s of %s", percent(v.whole.recall(u)), u.name)
	}
	v.fault(v.sampled.precision(inBytes) < sampledPrecision, "at 64 KiB, precision is %s", percent(v.sampled.precision(inBytes)))
	v.miss(v.sampled.recalled(inBytes), "at 64 KiB, recall is %s", percent(v.sampled.recalled(inBytes)))
}

func (v *verdict) judgeHolders(o *observed) {
	holders := make(map[string]*regexp.Regexp)
	for _, row := range o.truth {
		if row.Holder != "" {
			holders[row.Function] = regexp.MustCompile(row.Holder)
		}
	}
	all, held := byFunction(o.inUse), heldAs(o.heldBy, holders)
	for _, name := range slices.Sorted(maps.Keys(holders)) {
		v.kept, v.held = v.kept.plus(all[name]), v.held.plus(held[name])
		v.fault(share(held[name].bytes, all[name].bytes) < heldShare, "%s: %s are held by %q; of all, %s", name,
			percent(share(held[name].bytes, all[name].bytes)), holders[name], mostly(o.heldBy, name))
	}
}

// mostly returns who holds a function's bytes, if anything does: those who hold most, and first those that are no blocks, because
// chains of blocks begin there.
func mostly(p *profile.Profile, function string) string {
	sums := make(map[string]int64)
	for _, s := range p.Sample {
		if holder := root(s); allocator(s) == function && holder != "held by nothing" {
			sums[holder] += inUse(s).bytes
		}
	}
	names := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(chained(a), chained(b)), cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d bytes %s", sums[name], name)
	}
	return strings.Join(names[:min(len(names), 3)], ", ")
}

func chained(holder string) int {
	if strings.HasPrefix(holder, "held by a block ") {
		return 1
	}
	return 0
}
