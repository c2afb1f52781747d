package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/report"
)

// mostProfile bounds what is read: a small file may be large once it is decompressed.
const mostProfile = 256 << 20

func readProfile(r io.Reader) (*profile.Profile, error) {
	head := make([]byte, 2)
	n, err := io.ReadFull(r, head)
	if err != nil {
		return nil, errors.New("it is neither a profile nor a black box: it is too short")
	}
	r = io.MultiReader(bytes.NewReader(head[:n]), r)
	if head[0] == 0x1f && head[1] == 0x8b {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, err
		}
	}
	text, err := io.ReadAll(io.LimitReader(r, mostProfile+1))
	if err == nil && len(text) > mostProfile {
		err = fmt.Errorf("the profile is larger than %s", report.Bytes(mostProfile))
	}
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseUncompressed(text)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("it is not a profile: %w", err)
	}
	return p, nil
}

// seeProfile adds up what is in use by the innermost function and the innermost Go function that called it.
func seeProfile(p *profile.Profile) *look {
	l := &look{Time: time.Unix(0, p.TimeNanos), Total: "in the profile"}
	column := len(p.SampleType) - 1
	for i, t := range p.SampleType {
		if t.Type == "inuse_space" {
			column, l.Total = i, "in use"
		}
	}
	if column < 0 {
		l.Notes = append(l.Notes, "the profile has no values")
		return l
	}
	sums := map[string]int64{}
	for _, s := range p.Sample {
		sums[nameOf(s)] += s.Value[column]
		l.Bytes += s.Value[column]
	}
	for name, bytes := range sums {
		if bytes != 0 {
			l.Lines = append(l.Lines, part{Name: name, Bytes: bytes})
		}
	}
	slices.SortFunc(l.Lines, func(a, b part) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name)) })
	return l
}

func nameOf(s *profile.Sample) (name string) {
	for _, location := range s.Location {
		for _, line := range location.Line {
			if line.Function == nil {
				continue
			}
			is := line.Function
			if name == "" {
				name = is.Name
			}
			if strings.HasSuffix(is.Filename, ".go") && !strings.HasPrefix(is.Name, "C.") && !strings.Contains(is.Name, "._Cfunc_") {
				if is.Name != name {
					name += ", from " + is.Name
				}
				return name
			}
		}
	}
	return cmp.Or(name, "unnamed code")
}
