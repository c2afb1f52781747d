package tables

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// Classes are weights of blocks by their site and by a class that the caller has put them in, from 0.
type Classes map[siteClass]Weight

type siteClass struct {
	site  uint32
	class int
}

// Add adds a weight to that of a site's class.
func (c Classes) Add(site uint32, class int, w Weight) {
	key := siteClass{site, class}
	c[key] = c[key].plus(w)
}

// classShift is the position of the class + 1 in the ID of a sample, above the ref of its site.
const classShift = 32

// ClassOf returns the class of a sample of InClasses, by its ID.
func ClassOf(id uint64) int { return int(id>>classShift) - 1 }

// WithoutClass returns the ID that the sample with this one has in snapshots without classes.
func WithoutClass(id uint64) uint64 { return id & (1<<classShift - 1) }

// InClasses returns the sums as samples in use: one for each stack, block size and class. A class's label, if it has one, replaces a
// goroutine's label of the same key.
func (r *Reader) InClasses(sums Classes, label func(class int) stack.Label) *Samples {
	keys := make([]siteClass, 0, len(sums))
	for key := range sums {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b siteClass) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.class, b.class))
	})
	list := scratch.Slice[record](r.memory, len(keys))
	for i, key := range keys {
		list[i] = r.sample(Offset(key.site))
		list[i].id |= uint64(key.class+1) << classShift
		if l := label(key.class); l.Key != "" {
			list[i].labels = r.labels.add(stack.WithLabel(r.labels.of(list[i].labels), l))
		}
	}
	r.fillIn(list, keys, sums)
	return r.packed(list)
}

// fillIn sets the values of samples. From the last class on, it rounds the running sum over a site's classes, and each
// class gets the increase. So all classes add up to what the site has in use, if all its blocks are in one.
func (r *Reader) fillIn(list []record, keys []siteClass, sums Classes) {
	var sum Weight
	var before stack.Values
	for i := len(keys) - 1; i >= 0; i-- {
		site := keys[i].site
		if i == len(keys)-1 || site != keys[i+1].site {
			sum, before = Weight{}, stack.Values{}
		}
		sum = sum.plus(sums[keys[i]])
		var now stack.Values
		now.InuseObjects, now.InuseBytes = r.rounding(site).numbers(sum, r.region.Load64(Offset(site)+layout.SiteSize))
		list[i].InuseObjects, list[i].InuseBytes = now.InuseObjects-before.InuseObjects, now.InuseBytes-before.InuseBytes
		before = now
	}
}
