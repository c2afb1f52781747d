package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

// inUse is what is recorded of a kind of blocks: their bytes, and the functions of each stack, from the leaf on.
type inUse struct {
	blocks, bytes int64
	stacks        [][]string
}

// recorded returns what a profile of now has of a kind on a device, which is "" for none.
func recorded(p *cgoheap.Profiler, kind, device string) (in inUse, err error) {
	var written bytes.Buffer
	var s cgoheap.Selection // memory that devices may read is the host's
	if device != "" {
		s.View = cgoheap.ViewDevice()
	}
	if err := p.Write(&written, s); err != nil {
		return in, err
	}
	now, err := profile.Parse(&written)
	if err != nil {
		return in, fmt.Errorf("the profile: %w", err)
	}
	if device != "" && now.Period != 1 {
		return in, fmt.Errorf("the profile has estimates, of samples each %d bytes", now.Period)
	}
	for _, s := range now.Sample {
		if strings.Join(s.Label["kind"], " ") != kind || strings.Join(s.Label["device"], " ") != device || s.Value[2] == 0 {
			continue
		}
		in.blocks += s.Value[2]
		in.bytes += s.Value[3]
		var stack []string
		for _, l := range s.Location {
			for _, line := range l.Line {
				stack = append(stack, line.Function.Name)
			}
		}
		in.stacks = append(in.stacks, stack)
	}
	return in, nil
}
