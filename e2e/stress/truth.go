package main

// #include "storm.h"
import "C"

import "github.com/cgoheap/cgoheap/e2e/truth"

// done is the work at a site up to a moment.
type done struct {
	begun, allocated, freeing, freed [2]int64
}

func flow(f C.struct_flow) [2]int64 { return [2]int64{int64(f.objects), int64(f.bytes)} }

// readAll reads all sites' counters.
func readAll(n int) []done {
	list := make([]done, n)
	for i := range list {
		var d C.struct_done
		C.stress_read(C.uint32_t(i), &d)
		list[i] = done{flow(d.begun), flow(d.allocated), flow(d.freeing), flow(d.freed)}
	}
	return list
}

// A window holds when a recording began, and when a profile of it was taken: each between two readings.
type window struct {
	starting, started []done
	before, after     []done
	underWay          bool // it began while workers worked, so that it is not known which frees it saw
	old               bool // the profile may be of an earlier moment, as the profiler itself reports
}

// bounds returns the least and the most that the profile may have for a site.
func (w window) bounds(site int) (least, most truth.Values) {
	starting, started, before, after := w.starting[site], w.started[site], w.before[site], w.after[site]
	for i := range 2 {
		least[i] = max(0, before.allocated[i]-started.begun[i])
		most[i] = after.begun[i] - starting.allocated[i]
		most[2+i] = most[i]
		if w.old {
			least[i] = 0
			continue
		}
		if !w.underWay {
			least[2+i] = max(0, least[i]-(after.freeing[i]-starting.freeing[i]))
			most[2+i] = most[i] - (before.freed[i] - starting.freed[i])
		}
	}
	return least, most
}
