package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/examples/leaky/flame"
)

// callStack is all that was allocated along the same calls.
type callStack struct {
	owner         string
	inUse, blocks int64
	frames        []frame // leaf first
}

// frame is a function on a stack, the inlined ones too.
type frame struct {
	kind     flame.Kind
	function string
	position string // file:line, or the module if there is no file
}

// callStacks returns the stacks that hold memory, the one that holds most first.
func callStacks(p *profile.Profile) ([]*callStack, error) {
	inuseSpace, errSpace := valueOf(p, "inuse_space")
	inuseObjects, errObjects := valueOf(p, "inuse_objects")
	if err := errors.Join(errSpace, errObjects); err != nil {
		return nil, err
	}
	byFrames := map[string]*callStack{}
	for _, sample := range p.Sample {
		frames := framesOf(sample)
		key := fmt.Sprint(frames)
		s := byFrames[key]
		if s == nil {
			s = &callStack{owner: ownerOf(sample), frames: frames}
			byFrames[key] = s
		}
		s.inUse += sample.Value[inuseSpace]
		s.blocks += sample.Value[inuseObjects]
	}
	stacks := make([]*callStack, 0, len(byFrames))
	for _, s := range byFrames {
		stacks = append(stacks, s)
	}
	slices.SortFunc(stacks, func(x, y *callStack) int { return cmp.Compare(y.inUse, x.inUse) })
	return stacks, nil
}

func framesOf(sample *profile.Sample) []frame {
	var frames []frame
	for _, location := range sample.Location {
		if len(location.Line) == 0 {
			frames = append(frames, frame{flame.Unknown, fmt.Sprintf("%#x", location.Address), module(location)})
		}
		for _, line := range location.Line {
			f := frame{flame.KindOf(line.Function), flame.ShortName(line.Function.Name), module(location)}
			if file := line.Function.Filename; file != "" {
				f.position = fmt.Sprintf("%s:%d", lastTwo(file), line.Line)
			}
			frames = append(frames, f)
		}
	}
	return frames
}

func module(location *profile.Location) string {
	if location.Mapping == nil {
		return ""
	}
	return filepath.Base(location.Mapping.File)
}

// lastTwo returns a path's file with the folder that contains it.
func lastTwo(path string) string {
	return strings.TrimPrefix(filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)), "./")
}
