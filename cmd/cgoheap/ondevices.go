package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// onDevices is what a program had on CUDA's devices.
type onDevices struct {
	File        string     `json:"file,omitempty"` // of the profile; "" if there was nothing
	InUseBytes  int64      `json:"inuse_bytes"`    // at the end
	InUseBlocks int64      `json:"inuse_blocks"`
	AllocBytes  int64      `json:"alloc_bytes"`
	AllocBlocks int64      `json:"alloc_blocks"`
	Largest     []onDevice `json:"largest,omitempty"`
}

// onDevice is what a function had on a device: most programs free all of it before they end.
type onDevice struct {
	Function   string `json:"function"`
	Caller     string `json:"caller,omitempty"`
	Device     string `json:"device,omitempty"` // "GPU 0"; "" if it is not known
	InUseBytes int64  `json:"inuse_bytes"`
	AllocBytes int64  `json:"alloc_bytes"`
}

// readDevices sums up what is on devices, and writes its profile beside another, unless that is it.
func readDevices(from *remote.Recording, r *running, names *symbolize.Symbolizer, file string) (*onDevices, error) {
	d, by := &onDevices{File: file}, make(map[onDevice]stack.Values)
	view := remote.View{View: report.Device, Seen: func(lines []symbolize.Line, s *stack.Sample) { d.add(by, lines, s) }}
	err := from.Write(io.Discard, view, names)
	d.rank(by)
	switch {
	case d.AllocBlocks == 0:
		d.File = ""
	case err == nil && r.name != report.Device.Name:
		d.File, err = writeDevices(from, r, names, deviceFile(file))
	}
	return d, err
}

// writeDevices takes the first name that is free.
func writeDevices(from *remote.Recording, r *running, names *symbolize.Symbolizer, file string) (path string, err error) {
	view := r.view
	view.View = report.Device
	return newNumbered(file, func(w io.Writer) error { return from.Write(w, view, names) })
}

func (d *onDevices) add(by map[onDevice]stack.Values, lines []symbolize.Line, s *stack.Sample) {
	who, sum := onDevice{}, s.Values
	who.Function, who.Caller = nameOfHolder(lines)
	for _, l := range s.Labels {
		if l.Key == "device" {
			who.Device = l.Text
		}
	}
	sum.Add(by[who])
	by[who] = sum
	d.InUseBytes += s.InuseBytes
	d.InUseBlocks += s.InuseObjects
	d.AllocBytes += s.AllocBytes
	d.AllocBlocks += s.AllocObjects
}

// rank lists who had most: in use at the end or, if nothing is, in all.
func (d *onDevices) rank(by map[onDevice]stack.Values) {
	for who, sum := range maps.All(by) {
		who.InUseBytes, who.AllocBytes = sum.InuseBytes, sum.AllocBytes
		d.Largest = append(d.Largest, who)
	}
	slices.SortFunc(d.Largest, func(a, b onDevice) int {
		return cmp.Or(cmp.Compare(b.InUseBytes, a.InUseBytes), cmp.Compare(b.AllocBytes, a.AllocBytes),
			cmp.Compare(a.Function, b.Function), cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.Device, b.Device))
	})
	d.Largest = d.Largest[:min(mostHoldings, len(d.Largest))]
}

func (d *onDevices) tell(to io.Writer) {
	if d == nil {
		return
	}
	if d.AllocBlocks == 0 {
		fmt.Fprintln(to, "  on devices   nothing: no function of CUDA's driver gave memory")
		return
	}
	fmt.Fprintf(to, "  on devices   %s in use at the end, in %s; allocated in all: %s, in %s\n", report.Bytes(d.InUseBytes),
		report.Count(d.InUseBlocks, "block"), report.Bytes(d.AllocBytes), report.Count(d.AllocBlocks, "block"))
	for _, l := range d.Largest {
		caller := ""
		if l.Caller != "" {
			caller = ", called from " + l.Caller
		}
		fmt.Fprintf(to, "    %9s of %9s  %s, %s%s\n", report.Bytes(l.InUseBytes), report.Bytes(l.AllocBytes), l.Function,
			cmp.Or(l.Device, "a device that is not known"), caller)
	}
	fmt.Fprintf(to, "  their profile is %s: cgoheap view %s\n", d.File, d.File)
}
