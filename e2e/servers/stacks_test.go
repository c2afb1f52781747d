//go:build linux && cgo

package servers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
)

// stacks are what one column of a profile adds up to for each stack, written as names from the leaf on. It is what every
// server keeps; their ways with lines, labels and addresses differ.
type stacks map[string]int64

// fourKinds are the columns of a profile, as servers write them within the names of profile types.
var fourKinds = []string{"inuse_space:bytes", "inuse_objects:count", "alloc_space:bytes", "alloc_objects:count"}

// stacksOf reads the column of this kind. A server's answer has just one, which it may call otherwise.
func stacksOf(p *profile.Profile, kind string) (stacks, error) {
	column := slices.IndexFunc(p.SampleType, func(v *profile.ValueType) bool { return v.Type+":"+v.Unit == kind })
	if column < 0 && len(p.SampleType) == 1 {
		column = 0
	}
	if column < 0 {
		return nil, fmt.Errorf("the profile has no %s, but %v", kind, p.SampleType)
	}
	all := stacks{}
	for _, s := range p.Sample {
		if s.Value[column] != 0 {
			all[stackText(s)] += s.Value[column]
		}
	}
	return all, nil
}

func stackText(s *profile.Sample) string {
	var names []string
	for _, location := range s.Location {
		for _, line := range location.Line {
			names = append(names, line.Function.Name)
		}
		if len(location.Line) == 0 {
			names = append(names, "?")
		}
	}
	return strings.Join(names, ";")
}

func (s stacks) total() (sum int64) {
	for _, value := range s {
		sum += value
	}
	return sum
}

// of is what goes to the stacks that have all these names in this order, others between them or not.
func (s stacks) of(path string) (sum int64) {
	for stack, value := range s {
		if follows(stack, strings.Split(path, ";…;")) {
			sum += value
		}
	}
	return sum
}

func follows(stack string, names []string) bool {
	for _, frame := range strings.Split(stack, ";") {
		// C++ names bring their parameters.
		if len(names) > 0 && (frame == names[0] || strings.HasPrefix(frame, names[0]+"(")) {
			names = names[1:]
		}
	}
	return len(names) == 0
}

// differ says which stacks differ.
func differ(about string, got, want stacks) error {
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("%s: total %d, want %d; by stack (-want +got):\n%.4000s", about, got.total(), want.total(), diff)
	}
	return nil
}

// amountsDiffer says which of these paths do not have their amounts.
func amountsDiffer(got, want stacks) (err error) {
	for path, amount := range want {
		if value := got.of(path); value != amount {
			err = errors.Join(err, fmt.Errorf("%s has %d, want %d", path, value, amount))
		}
	}
	return err
}

// eventually tries until what a server says is as it must be, for servers show what they are given a moment later.
func eventually(t *testing.T, about string, try func() error) {
	t.Helper()
	var err error
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(100 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", about, err)
}
