package main

import (
	"github.com/google/pprof/profile"
)

// leakyProfile returns a profile of the service as it should be, except for change: the bytes in use of owners that differ.
func leakyProfile(change map[string]int64) *profile.Profile {
	b := &profileBuilder{functions: map[string]*profile.Function{}}
	for _, s := range []struct {
		owner string
		inUse int64
		stack []string // leaf first
	}{
		{"handleThumbnail", 600, []string{"operator new(unsigned long)", "raster_cache_thumbnail", handlerPrefix + "Thumbnail"}},
		{"handleReport", 250, []string{"sqlite3MemMalloc", "sqlite3RunParser", handlerPrefix + "Report"}},
		{"handleReport", 100, []string{"sqlite3Malloc", "sqlite3MemMalloc", "sqlite3RunParser", handlerPrefix + "Report"}},
		{"handleOrders", 10, []string{"sqlite3MemMalloc", "sqlite3Step", handlerPrefix + "Orders"}},
		{"worker", 0, []string{"operator new(unsigned long)", "raster::Worker::run()"}},
		{"rest", 40, []string{"malloc", "main.main"}},
	} {
		if inUse, ok := change[s.owner]; ok {
			s.inUse = inUse
		}
		b.sample(s.inUse, s.stack)
	}
	return &b.Profile
}

// residentProfile returns a profile of RSS in which the copies have so many bytes.
func residentProfile(copies int64) *profile.Profile {
	b := &profileBuilder{functions: map[string]*profile.Function{}}
	b.sample(copies, []string{mapper, "sqlite3_step", handlerPrefix + "Export"})
	b.sample(200, []string{"operator new(unsigned long)", "raster_cache_thumbnail", handlerPrefix + "Thumbnail"})
	b.sample(100, []string{"bytes.growSlice", "main.main"})
	b.Sample[2].Label = map[string][]string{"heap": {"go"}}
	b.sample(600, []string{"[malloc: free]"})
	return &b.Profile
}

type profileBuilder struct {
	profile.Profile
	functions map[string]*profile.Function
}

func (b *profileBuilder) sample(inUse int64, stack []string) {
	if b.SampleType == nil {
		for _, name := range []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"} {
			b.SampleType = append(b.SampleType, &profile.ValueType{Type: name})
		}
	}
	sample := &profile.Sample{Value: []int64{2, 2 * inUse, 1, inUse}}
	for _, name := range stack {
		if b.functions[name] == nil {
			b.functions[name] = &profile.Function{Name: name, Filename: "/src/shop/" + name[:4] + ".c"}
		}
		location := &profile.Location{Line: []profile.Line{{Function: b.functions[name], Line: 7}}}
		sample.Location = append(sample.Location, location)
	}
	b.Sample = append(b.Sample, sample)
}
