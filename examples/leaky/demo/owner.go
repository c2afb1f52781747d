package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

const (
	handlerPrefix  = "main.(*service).handle"
	workerFunction = "raster::Worker::run"
)

// owner is a handler, or another part of the service, with what it allocated and what it still holds.
type owner struct {
	name             string
	allocated, inUse int64 // bytes
	blocks           int64 // in use
}

// owners returns the parts of the service, the one that holds most first.
func owners(p *profile.Profile) ([]*owner, error) {
	allocSpace, errAllocated := valueOf(p, "alloc_space")
	inuseSpace, errInUse := valueOf(p, "inuse_space")
	inuseObjects, errBlocks := valueOf(p, "inuse_objects")
	if err := errors.Join(errAllocated, errInUse, errBlocks); err != nil {
		return nil, err
	}
	byName := map[string]*owner{}
	for _, sample := range p.Sample {
		name := ownerOf(sample)
		o := byName[name]
		if o == nil {
			o = &owner{name: name}
			byName[name] = o
		}
		o.allocated += sample.Value[allocSpace]
		o.inUse += sample.Value[inuseSpace]
		o.blocks += sample.Value[inuseObjects]
	}
	sorted := make([]*owner, 0, len(byName))
	for _, o := range byName {
		sorted = append(sorted, o)
	}
	slices.SortFunc(sorted, func(x, y *owner) int {
		return cmp.Or(cmp.Compare(y.inUse, x.inUse), cmp.Compare(x.name, y.name))
	})
	return sorted, nil
}

// ownerOf returns the handler on a stack. A stack of the worker's thread has none: that thread serves all handlers.
func ownerOf(sample *profile.Sample) string {
	for _, location := range sample.Location {
		for _, line := range location.Line {
			switch name := line.Function.Name; {
			case strings.HasPrefix(name, handlerPrefix):
				return strings.TrimPrefix(name, "main.(*service).")
			case strings.HasPrefix(name, workerFunction):
				return "(the worker's thread)"
			}
		}
	}
	return "(everything else)"
}

// valueOf returns the position of a sample type.
func valueOf(p *profile.Profile, name string) (int, error) {
	index := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == name })
	if index < 0 {
		return 0, fmt.Errorf("the profile has no samples of type %s", name)
	}
	return index, nil
}
