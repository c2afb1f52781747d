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
	"github.com/cgoheap/cgoheap/e2e/truth"
)

// judge checks that all blocks of the given number of storms have their whole stacks and, with more than one storm, that the
// block of the opening has it too.
func judge(profiler *cgoheap.Profiler, g *guest, storms int) error {
	runtime.GC() // for Go's own profile
	var written bytes.Buffer
	if err := profiler.Write(&written, cgoheap.Selection{GoHeap: true}); err != nil {
		return err
	}
	p, err := truth.Parse(written.Bytes())
	if err != nil {
		return err
	}
	faults, bySize := []error{placed(p)}, truth.BySize(p)
	if storms > 1 {
		faults = append(faults, uncut(profiler, p), count(bySize, g.opened, 1, opened))
	}
	for i, s := range sites {
		faults = append(faults, count(bySize, size+i, goroutines*rounds*storms, append(slices.Clone(s.frames), "main.worker")))
	}
	return errors.Join(faults...)
}

// opened is the stack of the block that is allocated while the plugin is opened.
var opened = []string{"guest_malloc", guestPath + "allocate", guestPath + "init", "main.openGuest", "main.main"}

// placed checks that the plugin's Go functions are in its file, on stacks of native memory as well as of Go's own.
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
		faults = append(faults, errors.New("the plugin's memory in Go's own heap is missing"))
	}
	return errors.Join(faults...)
}

// uncut checks that no stack is cut, except in the plugin's copy of the runtime: where that starts a thread, or a goroutine
// waits, it is on a system stack, which shows no goroutine by which Go code that is not known yet would be told.
func uncut(profiler *cgoheap.Profiler, p *profile.Profile) error {
	stats := profiler.Stats()
	var tolerated []string
	if int64(stats.Value(noUnwindData)) <= endingInRuntime(p) {
		tolerated = append(tolerated, noUnwindData)
	}
	if losses := truth.Losses(stats, tolerated...); len(losses) > 0 {
		return errors.New(strings.Join(losses, "\n"))
	}
	return nil
}

const noUnwindData = "stacks_cut_no_unwind_data"

// endingInRuntime counts the blocks whose stacks end in the plugin's copy of the runtime.
func endingInRuntime(p *profile.Profile) (blocks int64) {
	for _, sample := range p.Sample {
		l := sample.Location[len(sample.Location)-1]
		if l.Mapping == nil || l.Mapping.File != os.Args[1] || len(l.Line) == 0 {
			continue
		}
		if strings.HasPrefix(l.Line[0].Function.Name, "runtime.") {
			blocks += sample.Value[truth.AllocObjects]
		}
	}
	return blocks
}

// count checks that there are that many blocks of a size, all still in use, with these frames and others between them.
func count(bySize map[int64][]*profile.Sample, size, blocks int, frames []string) error {
	n := int64(blocks)
	want := truth.Site{Frames: frames, Values: truth.Blocks(int64(size), n, n)}
	if faults := want.Faults(bySize[int64(size)]); len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	return nil
}
