package main

import (
	"cmp"
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

// owners are the parts of the service, the one that holds most first.
func owners(p *profile.Profile) ([]*owner, error) {
	values, err := newValues(p)
	if err != nil {
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
		o.allocated += sample.Value[values.allocSpace]
		o.inUse += sample.Value[values.inuseSpace]
		o.blocks += sample.Value[values.inuseObjects]
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

// ownerOf is the handler on a stack. A stack of the worker's thread has none: that thread serves whoever asks.
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

// values are the positions of the sample types that the demo reads.
type values struct {
	allocSpace, inuseObjects, inuseSpace int
}

func newValues(p *profile.Profile) (values, error) {
	var v values
	for name, index := range map[string]*int{
		"alloc_space": &v.allocSpace, "inuse_objects": &v.inuseObjects, "inuse_space": &v.inuseSpace,
	} {
		*index = slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == name })
		if *index < 0 {
			return v, fmt.Errorf("the profile has no samples of type %s", name)
		}
	}
	return v, nil
}
