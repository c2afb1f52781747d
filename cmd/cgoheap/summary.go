package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/recovery"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// summary is what a run ends with, also as JSON.
type summary struct {
	Program      string     `json:"program"`
	PID          int        `json:"pid"`
	Ended        string     `json:"ended"`     // how, in words
	ExitCode     int        `json:"exit_code"` // 128 and the signal's number if a signal ended it
	Seconds      float64    `json:"seconds"`
	File         string     `json:"file"`
	Report       string     `json:"report,omitempty"` // the HTML file
	SampleBytes  int64      `json:"sample_bytes"`     // mean bytes between samples; 1: everything was recorded
	PeakBytes    int64      `json:"peak_bytes"`
	PeakResident int64      `json:"peak_resident_bytes,omitempty"` // of the largest process
	InUseBytes   int64      `json:"inuse_bytes"`
	InUseBlocks  int64      `json:"inuse_blocks"`
	AllocBytes   int64      `json:"alloc_bytes"`
	AllocBlocks  int64      `json:"alloc_blocks"`
	MappedBytes  int64      `json:"mapped_bytes"` // of addresses that were mapped directly at the end, resident or not
	AtPeak       []holding  `json:"at_peak"`
	AtEnd        []holding  `json:"at_end"`
	Devices      *onDevices `json:"devices,omitempty"` // if they were recorded
	Lost         []string   `json:"lost,omitempty"`
	Children     []*summary `json:"children,omitempty"`
}

// holding is what a function holds: the guilty one, and the Go function that called it, if any.
type holding struct {
	Function string `json:"function"`
	Caller   string `json:"caller,omitempty"`
	Bytes    int64  `json:"bytes"`
}

// mostHoldings is how many a list has.
const mostHoldings = 5

// held adds up who holds what.
type held struct {
	bytes map[holding]int64 // by a holding without bytes
	sum   stack.Values
}

func (h *held) add(lines []symbolize.Line, s *stack.Sample) {
	h.sum.InuseBytes += s.InuseBytes
	h.sum.InuseObjects += s.InuseObjects
	h.sum.AllocBytes += s.AllocBytes
	h.sum.AllocObjects += s.AllocObjects
	if s.InuseBytes <= 0 {
		return
	}
	var who holding
	who.Function, who.Caller = nameOfHolder(lines)
	if h.bytes == nil {
		h.bytes = make(map[holding]int64)
	}
	h.bytes[who] += s.InuseBytes
}

// nameOfHolder is recovery.HolderOf, of a stack that may have no lines.
func nameOfHolder(lines []symbolize.Line) (function, caller string) {
	if len(lines) == 0 {
		return "code that no stack shows", ""
	}
	return recovery.HolderOf(lines)
}

// largest returns the holdings of most.
func (h *held) largest() []holding {
	list := []holding{}
	for who := range maps.Keys(h.bytes) {
		list = append(list, holding{who.Function, who.Caller, h.bytes[who]})
	}
	slices.SortFunc(list, func(a, b holding) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Caller, b.Caller))
	})
	return list[:min(mostHoldings, len(list))]
}

// read writes the profile of a recording to a new file, and fills in its figures.
func (sum *summary) read(from *remote.Recording, r *running, file string) error {
	names := symbolize.New(r.naming)
	var end, peak held
	err := newFile(file, func(w io.Writer) error { return from.Write(w, r.view, names) })
	if err == nil {
		err = from.Write(io.Discard, remote.View{View: report.InUse, Seen: end.add}, names)
	}
	if err == nil {
		err = from.Write(io.Discard, remote.View{View: report.Peak, Seen: peak.add}, names)
	}
	sum.PID, sum.PeakBytes = from.About.Process, peak.sum.InuseBytes
	sum.InUseBytes, sum.InUseBlocks = end.sum.InuseBytes, end.sum.InuseObjects
	sum.AllocBytes, sum.AllocBlocks = end.sum.AllocBytes, end.sum.AllocObjects
	sum.MappedBytes, _ = from.Mapped()
	sum.AtPeak, sum.AtEnd = peak.largest(), end.largest()
	if err == nil && r.device {
		sum.Devices, err = readDevices(from, r, names, file)
	}
	return err
}

func (sum *summary) tell(to io.Writer, asJSON bool) error {
	if asJSON {
		fmt.Fprintln(to) // the program's last line may have no end, and nobody can read what it wrote
		return json.NewEncoder(to).Encode(sum)
	}
	resident := ""
	if sum.PeakResident > 0 {
		resident = fmt.Sprintf("; %s were resident at most, in it or in a program that it started", report.Bytes(sum.PeakResident))
	}
	fmt.Fprintf(to, "cgoheap: %s, process %d, %s after %.1f s\n", inLine(sum.Program), sum.PID, sum.Ended, sum.Seconds)
	fmt.Fprintf(to, "  at the peak  %s in use%s\n", report.Bytes(sum.PeakBytes), resident)
	tellHoldings(to, sum.AtPeak, sum.PeakBytes)
	fmt.Fprintf(to, "  at the end   %s in use, in %s; allocated in all: %s, in %s\n", report.Bytes(sum.InUseBytes), report.Count(sum.InUseBlocks, "block"),
		report.Bytes(sum.AllocBytes), report.Count(sum.AllocBlocks, "block"))
	tellHoldings(to, sum.AtEnd, sum.InUseBytes)
	if sum.SampleBytes > 1 {
		fmt.Fprintf(to, "  these are estimates from a sample each %s, and the peak is the highest of them, above the true one: -sample takes more samples, and -exact "+
			"records every allocation\n", report.Bytes(sum.SampleBytes))
	}
	if sum.MappedBytes > 0 {
		fmt.Fprintf(to, "  and %s of addresses mapped directly, resident or not\n", report.Bytes(sum.MappedBytes))
	}
	sum.Devices.tell(to)
	for _, lost := range sum.Lost {
		fmt.Fprintf(to, "  not complete: %s\n", lost)
	}
	for _, child := range sum.Children[:min(mostChildren, len(sum.Children))] {
		fmt.Fprintf(to, "  %s, process %d: %s at the peak, %s in use at the end: %s\n", inLine(child.Program), child.PID, report.Bytes(child.PeakBytes),
			report.Bytes(child.InUseBytes), child.File)
	}
	if more := len(sum.Children) - mostChildren; more > 0 {
		fmt.Fprintf(to, "  and %s, whose profiles lie beside these\n", report.Count(int64(more), "other process"))
	}
	if sum.Report != "" {
		fmt.Fprintf(to, "  the report is %s, for any browser\n", sum.Report)
	}
	_, err := fmt.Fprintf(to, "  the profile is %s: cgoheap view %s\n", sum.File, sum.File)
	return err
}

// sentences are what a report says of the program's end.
func (sum *summary) sentences() []string {
	list := []string{
		fmt.Sprintf("%s, process %d, %s after %.1f s", inLine(sum.Program), sum.PID, sum.Ended, sum.Seconds),
		fmt.Sprintf("at the peak %s were in use, and %s at the end; %s were allocated in all, in %s", report.Bytes(sum.PeakBytes),
			report.Bytes(sum.InUseBytes), report.Bytes(sum.AllocBytes), report.Count(sum.AllocBlocks, "block")),
	}
	for _, lost := range sum.Lost {
		list = append(list, "not complete: "+lost)
	}
	return list
}

// inLine returns a path that may have a line's end in it, in one line.
func inLine(path string) string { return strings.ReplaceAll(path, "\n", `\n`) }

// mostChildren is how many are listed.
const mostChildren = 20

func tellHoldings(to io.Writer, list []holding, all int64) {
	for _, h := range list {
		caller := ""
		if h.Caller != "" {
			caller = ", called from " + h.Caller
		}
		fmt.Fprintf(to, "    %9s  %3.0f %%  %s%s\n", report.Bytes(h.Bytes), 100*float64(h.Bytes)/float64(max(all, 1)), h.Function, caller)
	}
}
