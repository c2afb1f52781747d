package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/terminal"
)

// diffing is what the flags of diff say.
type diffing struct {
	source
	sample, file   string
	most           int
	stacks, asJSON bool
	markdown       bool
	limits         limits
}

func prepareDiff(flags *flag.FlagSet) action {
	var d diffing
	flags.StringVar(&d.sample, "sample", "", "the sample `type` to compare, such as alloc_space (default the one that viewers show first)")
	flags.StringVar(&d.file, "o", "", "write the difference as a profile to this `file`")
	flags.IntVar(&d.most, "n", 30, "a `count`: list so many lines, and add the others up; 0 is all")
	flags.BoolVar(&d.stacks, "stacks", false, "compare whole stacks, not functions")
	flags.BoolVar(&d.asJSON, "json", false, "print a JSON object, with all lines")
	flags.BoolVar(&d.markdown, "markdown", false, "print a comment for a pull request: the limits and, unless they are kept, what grew most, with stacks")
	flags.Var(&d.limits, "fail", "a `limit`, such as 'in use > 5%' or 'in use > 5% + 1MiB': exit with 1 if B exceeds it; may be given several times")
	d.shared.add(flags)
	d.addRoot(flags)
	d.service.add(flags, 2*time.Minute)
	return func(s *streams, names []string) (int, error) {
		if len(names) != 2 {
			return exitUnreadable, errors.New("two profiles are needed: the earlier one and the later one")
		}
		if names[0] == "-" && names[1] == "-" {
			return exitUnreadable, errors.New("only one of the two can be standard input")
		}
		if err := errors.Join(d.shared.check(), d.service.check()); err != nil {
			return exitUnreadable, err
		}
		if d.most < 0 {
			return exitUnreadable, errors.New("-n may not be negative")
		}
		if d.asJSON && d.markdown {
			return exitUnreadable, errors.New("-json and -markdown are two ways to print the same")
		}
		d.in = s.in
		return d.run(s, names)
	}
}

func (d *diffing) run(s *streams, names []string) (code int, err error) {
	var read [2]*taken
	for i, name := range names {
		err := terminal.Progress(s.progress, "reading "+name, func() (err error) {
			read[i], err = d.take(context.Background(), targetOf(name))
			return err
		})
		if err != nil {
			return exitUnreadable, err
		}
	}
	a, b := read[0].Profile, read[1].Profile
	if err := differing(a, b); err != nil {
		return exitUnreadable, fmt.Errorf("%s and %s cannot be compared: %w", names[0], names[1], err)
	}
	if err := errors.Join(d.limits.whole(names[0], a), d.limits.whole(names[1], b)); err != nil {
		return exitUnreadable, err
	}
	verdicts, err := d.limits.judge(a, b)
	if err != nil {
		return exitUnreadable, err
	}
	column := columnOf(a, d.sample)
	if d.sample == "" {
		column = d.limits.column(a, verdicts, column)
	}
	if column < 0 {
		return exitUnreadable, fmt.Errorf("-sample is %q: it must be one of %s", d.sample, types(a))
	}
	rest := likeOther(a, b, column)
	by := rowing{column: column, stacks: d.stacks}
	if d.markdown {
		by.of = d.limits.exceeded(verdicts)
	}
	found := compare(a, b, by)
	found.A, found.B, found.Limits = names[0], names[1], verdicts
	found.Notes = append(found.Notes, rest...)
	if d.markdown {
		by.stacks = true
		found.grown = grownStacks(compare(a, b, by).Rows)
	}
	if d.file != "" {
		if err := writeDifference(d.file, a, b, found.Notes); err != nil {
			return exitUnreadable, err
		}
	}
	if err := d.write(s, found); err != nil {
		return exitUnreadable, err
	}
	if d.limits.exceeded(verdicts) != nil {
		return exitFaulty, nil
	}
	return exitGood, nil
}

func (d *diffing) write(s *streams, found *difference) (err error) {
	switch {
	case d.asJSON:
		return json.NewEncoder(s.out).Encode(found)
	case d.markdown:
		_, err = io.WriteString(s.out, found.markdown())
	default:
		_, err = io.WriteString(s.out, found.text(d.most))
	}
	return err
}

// differing returns an error that says in what two profiles differ that cannot be compared.
func differing(a, b *profile.Profile) error {
	var list []string
	if x, y := types(a), types(b); x != y {
		list = append(list, fmt.Sprintf("the sample types are %s and %s", x, y))
	}
	if x, y := typeOf(a.PeriodType), typeOf(b.PeriodType); x != y {
		list = append(list, fmt.Sprintf("samples are taken by %s and by %s", x, y))
	}
	if x, y := viewOf(a), viewOf(b); x != y {
		list = append(list, fmt.Sprintf("the views are %s and %s", cmp.Or(x, "unknown"), cmp.Or(y, "unknown")))
	}
	if x, y := report.LeftOut(a.Comments), report.LeftOut(b.Comments); x != y {
		list = append(list, fmt.Sprintf("one leaves out %s, the other %s", cmp.Or(x, "nothing"), cmp.Or(y, "nothing")))
	}
	if len(a.SampleType) == 0 {
		list = append(list, "they have no values")
	}
	if len(list) == 0 {
		return nil
	}
	return errors.New(strings.Join(list, "; "))
}

func types(p *profile.Profile) string {
	var list []string
	for _, t := range p.SampleType {
		list = append(list, typeOf(t))
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}

func typeOf(t *profile.ValueType) string {
	if t == nil {
		return "nothing"
	}
	return t.Type + " (" + t.Unit + ")"
}

// differenceComment is the first comment of a difference.
const differenceComment = "cgoheap: the difference of two profiles: what the later one has more than the earlier one"

// writeDifference writes B less A as a profile, with what a reader must know of them. It changes A.
func writeDifference(path string, a, b *profile.Profile, notes []string) error {
	a.Scale(-1)
	merged, err := profile.Merge([]*profile.Profile{b, a})
	if err != nil {
		return fmt.Errorf("the difference of the profiles: %w", err)
	}
	merged.TimeNanos, merged.DurationNanos = b.TimeNanos, max(0, b.TimeNanos-a.TimeNanos)
	merged.Comments = []string{differenceComment}
	for _, note := range notes {
		merged.Comments = append(merged.Comments, "cgoheap: "+note)
	}
	merged.Comments = append(merged.Comments, b.Comments...)
	return newFile(path, func(w io.Writer) error { return merged.Write(w) })
}
