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

// stacks are the sums of one column of a profile for each stack, written as names from the leaf on. Every server keeps
// these; lines, labels and addresses each server treats in its own way.
type stacks map[string]int64

// fourKinds are the columns of a profile, as servers write them within the names of profile types.
var fourKinds = []string{"inuse_space:bytes", "inuse_objects:count", "alloc_space:bytes", "alloc_objects:count"}

// stacksOf reads the column of this kind. A server's answer has only one, perhaps under another name.
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

// of returns the sum for stacks that have all these names in this order, perhaps with others between them.
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
		// C++ names include their parameters.
		if len(names) > 0 && (frame == names[0] || strings.HasPrefix(frame, names[0]+"(")) {
			names = names[1:]
		}
	}
	return len(names) == 0
}

// differ returns an error that lists the stacks that differ.
func differ(about string, got, want stacks) error {
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("%s: total %d, want %d; by stack (-want +got):\n%.4000s", about, got.total(), want.total(), diff)
	}
	return nil
}

// amountsDiffer returns an error for the paths that do not have their amounts.
func amountsDiffer(got, want stacks) (err error) {
	for path, amount := range want {
		if value := got.of(path); value != amount {
			err = errors.Join(err, fmt.Errorf("%s has %d, want %d", path, value, amount))
		}
	}
	return err
}

// eventually tries until a server's answer is right, because servers show new data with a delay.
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
