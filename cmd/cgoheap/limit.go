package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/report"
)

// limit is a bound on growth: "in use > 5%", "allocations of main.open > 100".
type limit struct {
	text     string
	measure  measure
	function string  // only what goes through it; "" for all
	share    float64 // of the earlier value, or
	amount   float64
}

// measure is what a limit is on.
type measure struct{ words, column string }

var measures = []measure{
	{"blocks in use", "inuse_objects"}, {"in use", "inuse_space"}, {"allocations", "alloc_objects"}, {"allocated", "alloc_space"}, {"peak", "inuse_space"},
}

// limits is the value of a flag that may be given several times.
type limits []limit

func (l *limits) String() string { return "" }

func (l *limits) Set(text string) error {
	parsed, err := parseLimit(text)
	if err == nil {
		*l = append(*l, parsed)
	}
	return err
}

func parseLimit(text string) (limit, error) {
	l := limit{text: text}
	at := strings.LastIndex(text, ">") // names of C++ functions have some, too
	if at < 0 {
		return l, errors.New("it must be a measure, > and how much it may grow, such as 'in use > 5%'")
	}
	what, function, of := strings.Cut(strings.TrimSpace(text[:at])+" ", " of ")
	what = strings.TrimSpace(what)
	known := slices.IndexFunc(measures, func(m measure) bool { return strings.EqualFold(m.words, what) })
	if known < 0 {
		return l, fmt.Errorf("%q must be in use, blocks in use, allocated, allocations or peak", what)
	}
	l.measure, l.function = measures[known], strings.TrimSpace(function)
	if of && l.function == "" {
		return l, errors.New("there is no function behind of")
	}
	return l, l.parseBound(strings.TrimSpace(text[at+1:]))
}

// parseBound parses a share, an amount, or both: 5%, 4KiB, 5% + 4KiB.
func (l *limit) parseBound(bound string) (err error) {
	for part := range strings.SplitSeq(bound, "+") {
		part = strings.TrimSpace(part)
		if percent, found := strings.CutSuffix(part, "%"); found {
			share, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
			if err != nil || !(share >= 0 && share <= 1e6) {
				return fmt.Errorf("%q must be a number of percent that is not negative", part)
			}
			l.share += share / 100
			continue
		}
		amount, err := l.parseAmount(part)
		if err != nil {
			return err
		}
		l.amount += float64(amount)
	}
	return nil
}

func (l *limit) parseAmount(text string) (int64, error) {
	if strings.HasSuffix(l.measure.column, "_space") {
		return report.ParseBytes(text)
	}
	blocks, err := strconv.ParseInt(text, 10, 54)
	if err != nil || blocks < 0 {
		return 0, fmt.Errorf("%q must be a number of blocks, or of percent", text)
	}
	return blocks, nil
}

// judge compares two profiles by each of the limits.
func (l limits) judge(a, b *profile.Profile) (list []verdict, err error) {
	for i := range l {
		v, err := l[i].judge(a, b, falseAlarms/float64(len(l)))
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// column returns the column of the first limit that was exceeded, or else of the first one, or else what it is otherwise.
func (l limits) column(p *profile.Profile, verdicts []verdict, otherwise int) int {
	if len(l) == 0 {
		return otherwise
	}
	first := l.exceeded(verdicts)
	if first == nil {
		first = &l[0]
	}
	return columnOf(p, first.measure.column)
}

// exceeded returns the first limit that was exceeded; nil if none was.
func (l limits) exceeded(verdicts []verdict) *limit {
	at := slices.IndexFunc(verdicts, func(v verdict) bool { return v.Exceeded })
	if at < 0 {
		return nil
	}
	return &l[at]
}

// verdict says how a limit was kept.
type verdict struct {
	Limit    string  `json:"limit"`
	Unit     string  `json:"unit"`
	Before   int64   `json:"before"`
	After    int64   `json:"after"`
	Change   int64   `json:"change"`
	Chance   float64 `json:"chance"` // how much of the change may be due to sampling; 0: none, every allocation was recorded
	Exceeded bool    `json:"exceeded"`
}

// judge compares two profiles by a limit, which sampling alone exceeds with a chance of alarms at most. Go's own heap, which has a
// sampling of its own, does not count.
func (l *limit) judge(a, b *profile.Profile, alarms float64) (v verdict, err error) {
	column := columnOf(a, l.measure.column)
	if column < 0 || a.SampleType[column].Type != l.measure.column {
		return v, fmt.Errorf("-fail %q needs the sample type %s: the profiles have %s", l.text, l.measure.column, types(a))
	}
	if peak := viewOf(a) == report.Peak.Name; peak != (l.measure.words == "peak") && strings.HasPrefix(l.measure.column, "inuse_") {
		return v, fmt.Errorf("-fail %q: %s", l.text, map[bool]string{
			true: "these are profiles of the peak, so it must be 'peak > …'", false: "the peak is in profiles of the view peak only: cgoheap run -view peak writes one, and " +
				"nativebench one that ends with .peak.pb.gz"}[peak])
	}
	v = verdict{Limit: l.text, Unit: a.SampleType[column].Unit}
	before, err := l.estimate(a, column)
	if err != nil {
		return v, err
	}
	after, err := l.estimate(b, column)
	if err != nil {
		return v, err
	}
	v.Before, v.After = before.sum, after.sum
	v.Change = v.After - v.Before
	v.Chance = chance(before, after, 1+l.share, alarms)
	v.Exceeded = float64(v.Change) > l.allowed(&v)
	if !before.any && !after.any && l.function != "" {
		return v, fmt.Errorf("-fail %q: no stack of either profile has the function %s: %s", l.text, l.function, near(l.function, column, a, b))
	}
	return v, l.hidden(a, b, &v)
}

// allowed is the change up to which the limit is kept.
func (l *limit) allowed(v *verdict) float64 { return l.share*float64(v.Before) + l.amount + v.Chance }

// estimate is the sum of a column.
type estimate struct {
	sum   int64
	any   bool // whether there is a sample
	drawn []drawn
}

// estimate adds up what the limit is on.
func (l *limit) estimate(p *profile.Profile, column int) (*estimate, error) {
	var e estimate
	draw := drawing(p, column)
	if draw == nil {
		return nil, fmt.Errorf("-fail %q needs profiles of blocks and bytes that are no differences: these have %s", l.text, types(p))
	}
	for _, s := range p.Sample {
		if !l.counts(s) {
			continue
		}
		e.any = true
		e.sum += s.Value[column]
		if d, byChance := draw(s); byChance {
			e.drawn = append(e.drawn, d)
		}
	}
	return &e, nil
}

// counts reports whether the limit is on a sample: one whose stack has the function, or that is of the line of that name.
func (l *limit) counts(s *profile.Sample) bool {
	return !ofGo(s) && (l.function == "" || slices.Contains(framesOf(s), l.function) || nameOf(s) == l.function)
}

// near names functions that have the last part of a name in theirs, or else the lines with most, at most three.
func near(name string, column int, profiles ...*profile.Profile) string {
	last := strings.ToLower(name[strings.LastIndexAny(name, ".:/ ")+1:])
	alike, largest := make(map[string]int64), make(map[string]int64)
	for _, p := range profiles {
		for _, s := range p.Sample {
			for _, function := range framesOf(s) {
				if strings.Contains(strings.ToLower(function), last) {
					alike[function] += s.Value[column]
				}
			}
			largest[nameOf(s)] += s.Value[column]
		}
	}
	says, of := "such names are ", alike
	if len(alike) == 0 {
		says, of = "most is in ", largest
	}
	names := slices.SortedFunc(maps.Keys(of), func(x, y string) int { return cmp.Or(cmp.Compare(of[y], of[x]), cmp.Compare(x, y)) })
	return says + strings.Join(names[:min(3, len(names))], "; ")
}

// text is the verdict for a person, in a line.
func (v *verdict) text() string {
	word := "kept"
	if v.Exceeded {
		word = "EXCEEDED"
	}
	amount := amountOf(v.Unit)
	text := fmt.Sprintf("%-8s  %s: %s, then %s, %s", word, v.Limit, amount(v.Before), amount(v.After), v.change())
	if v.Chance > 0 {
		text += fmt.Sprintf("; sampling alone may make %s", amount(int64(math.Ceil(v.Chance))))
	}
	return text
}

// change is the change as an amount and in percent.
func (v *verdict) change() string {
	if v.Change == 0 {
		return "unchanged"
	}
	text := amountOf(v.Unit)(v.Change)
	if v.Change > 0 {
		text = "+" + text
	}
	if v.Before > 0 {
		text += fmt.Sprintf(" (%+.1f %%)", 100*float64(v.Change)/float64(v.Before))
	}
	return text
}
