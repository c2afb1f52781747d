package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/check"
)

// values are a site's, in the order of the profile's columns.
type values struct{ allocObjects, allocBytes, inuseObjects, inuseBytes int64 }

// faultsOf returns what is wrong with a profile.
func faultsOf(t *truth, text []byte) (faults []string) {
	found, err := check.Profile(bytes.NewReader(text))
	if err != nil {
		return []string{err.Error()}
	}
	for _, f := range found {
		if f.Severity == check.Error {
			faults = append(faults, f.String())
		}
	}
	p, err := profile.ParseData(text)
	if err != nil {
		return append(faults, err.Error())
	}
	all, strange := bySite(p)
	if strange > 0 {
		faults = append(faults, fmt.Sprintf("%d samples of blocks that are no site's size have a site, or none has its stack", strange))
	}
	for i := range t.sites {
		s, size := &t.sites[i], sizeOf(i)
		between := func(what string, got int64, least, most int64) {
			if got < least || got > most {
				faults = append(faults, fmt.Sprintf("site %d: %s: %d, and it must be from %d to %d", i, what, got, least, most))
			}
		}
		begun, allocated, leaving, freed := int64(s.begun), int64(s.allocated), int64(s.leaving), int64(s.freed)
		v := all[i]
		between("objects allocated", v.allocObjects, allocated, begun)
		between("bytes allocated", v.allocBytes, allocated*size, begun*size)
		between("objects in use", v.inuseObjects, allocated-leaving, begun-freed)
		between("bytes in use", v.inuseBytes, (allocated-leaving)*size, (begun-freed)*size)
	}
	return faults
}

// bySite adds up a profile's samples by the function site_N, which must be the leaf.
func bySite(p *profile.Profile) (all [sites]values, strange int) {
	for _, s := range p.Sample {
		site := -1
		for i, l := range s.Location {
			for _, line := range l.Line {
				if n, ok := strings.CutPrefix(line.Function.Name, "site_"); ok {
					if site, _ = strconv.Atoi(n); i > 0 {
						strange++
					}
				}
			}
		}
		if site < 0 || site >= sites {
			continue
		}
		v := &all[site]
		v.allocObjects, v.allocBytes = v.allocObjects+s.Value[0], v.allocBytes+s.Value[1]
		v.inuseObjects, v.inuseBytes = v.inuseObjects+s.Value[2], v.inuseBytes+s.Value[3]
	}
	return all, strange
}
