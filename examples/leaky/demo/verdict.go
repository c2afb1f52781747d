package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

const (
	guiltyShare   = 0.10 // of all bytes in use: a handler that leaks holds at least this
	innocentShare = 0.05 // and one that does not, at most this
	topStacks     = 10   // each handler that leaks must have a stack among so many of the heaviest
)

var (
	leaking = []string{"handleThumbnail", "handleReport"}
	// culprit is a function of the native library that each stack of a leaking handler must name.
	culprit = map[string]string{"handleThumbnail": "raster_cache_thumbnail", "handleReport": "sqlite3RunParser"}
)

// verdict fails unless the profile convicts the handlers that leak, and only those.
func verdict(w io.Writer, p, rss *profile.Profile) error {
	owners, err := owners(p)
	if err != nil {
		return err
	}
	stacks, err := callStacks(p)
	if err != nil {
		return err
	}
	if err := errors.Join(judge(owners, total(stacks)), findCulprits(stacks), judgeMapped(rss)); err != nil {
		return err
	}
	fmt.Fprintf(w, "found: %s and %s leak, and no other handler does\n", strings.Join(leaking, ", "), mapping)
	return nil
}

// judge compares what each handler holds with what it may hold.
func judge(owners []*owner, sum int64) error {
	held := map[string]float64{}
	for _, o := range owners {
		held[o.name] = float64(o.inUse) / float64(max(sum, 1))
	}
	var wrong []error
	for _, name := range leaking {
		if held[name] < guiltyShare {
			wrong = append(wrong, fmt.Errorf("%s leaks, but holds only %.1f %% of the bytes in use", name, 100*held[name]))
		}
	}
	for _, o := range owners {
		if share := held[o.name]; share > innocentShare && o.name != mapping && !slices.Contains(leaking, o.name) {
			wrong = append(wrong, fmt.Errorf("%s does not leak, but holds %.1f %% of the bytes in use", o.name, 100*share))
		}
	}
	return errors.Join(wrong...)
}

// findCulprits looks at the heaviest stacks for one that leads from the leaking library call into the handler.
func findCulprits(stacks []*callStack) error {
	top := stacks[:min(topStacks, len(stacks))]
	var wrong []error
	for _, name := range leaking {
		found := slices.ContainsFunc(top, func(s *callStack) bool { return s.owner == name && s.calls(culprit[name]) })
		if !found {
			wrong = append(wrong, fmt.Errorf("no stack among the heaviest %d leads from %s into %s", topStacks, culprit[name], name))
		}
	}
	return errors.Join(wrong...)
}

func (s *callStack) calls(function string) bool {
	return slices.ContainsFunc(s.frames, func(f frame) bool { return f.function == function })
}
