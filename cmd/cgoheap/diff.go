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
}

func prepareDiff(flags *flag.FlagSet) action {
	var d diffing
	flags.StringVar(&d.sample, "sample", "", "the sample `type` to compare, such as alloc_space (default the one that viewers show first)")
	flags.StringVar(&d.file, "o", "", "write the difference as a profile to this `file`")
	flags.IntVar(&d.most, "n", 30, "a `count`: list so many lines, and add the others up; 0 is all")
	flags.BoolVar(&d.stacks, "stacks", false, "compare whole stacks, not functions")
	flags.BoolVar(&d.asJSON, "json", false, "print a JSON object, with all lines")
	d.shared.add(flags)
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
		d.in = s.in
		return exitGood, d.run(s, names)
	}
}

func (d *diffing) run(s *streams, names []string) error {
	var read [2]*taken
	for i, name := range names {
		err := terminal.Progress(s.progress, "reading "+name, func() (err error) {
			read[i], err = d.take(context.Background(), placeOf(name))
			return err
		})
		if err != nil {
			return err
		}
	}
	a, b := read[0].Profile, read[1].Profile
	if err := differing(a, b); err != nil {
		return fmt.Errorf("%s and %s cannot be compared: %w", names[0], names[1], err)
	}
	column := columnOf(a, d.sample)
	if column < 0 {
		return fmt.Errorf("-sample is %q: it must be one of %s", d.sample, types(a))
	}
	rest := likeOther(a, b, column)
	found := compare(a, b, column, d.stacks)
	found.A, found.B = names[0], names[1]
	found.Notes = append(found.Notes, rest...)
	if d.file != "" {
		if err := writeDifference(d.file, a, b, found.Notes); err != nil {
			return err
		}
	}
	if d.asJSON {
		return json.NewEncoder(s.out).Encode(found)
	}
	_, err := io.WriteString(s.out, found.text(d.most))
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
