//go:build linux && cgo

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

// judge wants each block of so many storms with its whole stack, and where the first was in time, the block of the opening.
func judge(profiler *cgoheap.Profiler, g *guest, storms int) error {
	runtime.GC() // for Go's own profile
	var written bytes.Buffer
	if err := profiler.Write(&written, cgoheap.Selection{GoHeap: true}); err != nil {
		return err
	}
	p, err := profile.Parse(&written)
	if err != nil {
		return err
	}
	faults := []error{placed(p)}
	if storms > 1 {
		faults = append(faults, uncut(profiler), count(p, g.opened, 1, opened))
	}
	for i, s := range sites {
		faults = append(faults, count(p, size+i, goroutines*rounds*storms, append(slices.Clone(s.frames), "main.worker")))
	}
	return errors.Join(faults...)
}

// opened is the stack of the block that is allocated while the plugin is opened.
var opened = []string{"guest_malloc", guestPath + "allocate", guestPath + "init", "main.openGuest", "main.main"}

// placed wants the plugin's Go functions in its file, on stacks of native memory as well as of Go's own.
func placed(p *profile.Profile) error {
	var faults []error
	found := false
	for _, l := range p.Location {
		for _, line := range l.Line {
			if !strings.HasPrefix(line.Function.Name, guestPath) {
				continue
			}
			found = found || line.Function.Name == guestPath+"hold"
			if l.Mapping == nil || l.Mapping.File != os.Args[1] {
				faults = append(faults, fmt.Errorf("%s is in %+v", line.Function.Name, l.Mapping))
			}
		}
	}
	if !found {
		faults = append(faults, errors.New("memory of the plugin's in Go's own heap is missing"))
	}
	return errors.Join(faults...)
}

func uncut(profiler *cgoheap.Profiler) error {
	var faults []error
	for _, c := range profiler.Stats() {
		if strings.HasPrefix(c.Name, "stacks_cut") && c.Value != 0 {
			faults = append(faults, fmt.Errorf("%s is %d", c.Name, c.Value))
		}
	}
	return errors.Join(faults...)
}

// count wants so many blocks of a size with these frames, others between them.
func count(p *profile.Profile, size, want int, frames []string) error {
	var got int64
	var faults []error
	for _, s := range p.Sample {
		if s.NumLabel["bytes"][0] != int64(size) {
			continue
		}
		got += s.Value[0]
		if missing := missing(s, frames); missing != "" {
			faults = append(faults, fmt.Errorf("%d blocks of %d bytes have no %s in\n\t%s", s.Value[0], size, missing, strings.Join(names(s), "\n\t")))
		}
	}
	if got != int64(want) {
		faults = append(faults, fmt.Errorf("%d blocks of %d bytes, want %d", got, size, want))
	}
	return errors.Join(faults...)
}

// missing is the first of the frames that the sample lacks, in order; "" if it has them all.
func missing(s *profile.Sample, frames []string) string {
	rest := names(s)
	for _, frame := range frames {
		at := slices.Index(rest, frame)
		if at < 0 {
			return frame
		}
		rest = rest[at+1:]
	}
	return ""
}

func names(s *profile.Sample) []string {
	var names []string
	for _, l := range s.Location {
		for _, line := range l.Line {
			names = append(names, line.Function.Name)
		}
	}
	return names
}
