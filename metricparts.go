package cgoheap

import (
	"errors"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/stack"
)

// metricPart is a part of the metrics, which is read or missing as a whole.
type metricPart struct {
	name string
	read func(*Profiler) ([]Metric, error)
}

var metricParts = []metricPart{
	{"recording", (*Profiler).recordingMetrics},
	{"rss", (*Profiler).rssMetrics},
	{"go", (*Profiler).goMetrics},
	{"account", (*Profiler).accountMetrics},
	{"counters", (*Profiler).counterMetrics},
	{"work", (*Profiler).workMetrics},
}

var errNotRecording = errors.New("cgoheap: nothing is recorded any more")

func (p *Profiler) recordingMetrics() ([]Metric, error) {
	interval := p.recording.SampleBytes()
	if interval == 0 {
		return nil, errNotRecording
	}
	return []Metric{
		{Name: "cgoheap_sample_interval_bytes", Help: "mean bytes between samples; 1: every allocation is recorded", Values: one(interval)},
		{Name: "cgoheap_native_in_use_bytes", Values: one(p.recording.InUse()),
			Help: "blocks of malloc in use, by the sizes that the program asked for; an estimate unless every allocation is recorded"},
	}, nil
}

func (p *Profiler) rssMetrics() ([]Metric, error) {
	rss, err := running.RSS()
	if err != nil {
		return nil, err
	}
	return []Metric{{Name: "cgoheap_rss_bytes", Help: "resident memory of the process, as the kernel counts it", Values: one(rss)}}, nil
}

func (p *Profiler) goMetrics() ([]Metric, error) {
	objects, _, _, _ := account.GoMemory()
	return []Metric{{Name: "cgoheap_go_in_use_bytes", Values: one(objects),
		Help: "objects of Go's heap, and garbage that was not swept yet, as the Go runtime counts them"}}, nil
}

func (p *Profiler) accountMetrics() ([]Metric, error) {
	if p.recording.SampleBytes() == 0 {
		p.scrapes.forget()
		return nil, errNotRecording
	}
	a, err := p.scrapes.get(p.Account, p.failed)
	if err != nil {
		return nil, err
	}
	trimmable := Metric{Name: "cgoheap_malloc_trimmable_bytes", Label: "allocator",
		Help: "resident free memory that a trim would return to the kernel, of allocators that report it"}
	for i := range a.Malloc {
		if m := &a.Malloc[i]; m.ReadError == "" {
			trimmable.Values = append(trimmable.Values, MetricValue{m.Name, float64(m.Trimmable)})
		}
	}
	return []Metric{
		{Name: "cgoheap_account_timestamp_seconds", Values: one(seconds(a.Time)), Help: "when the account was taken, in seconds since 1970"},
		{Name: "cgoheap_account_rss_bytes", Values: one(a.RSS), Help: "resident memory at that moment: the sum of the lines"},
		{Name: "cgoheap_account_partial", Values: one(a.Partial != ""), Help: "1 if something could not be read, so that the lines are incomplete"},
		{Name: "cgoheap_account_bytes", Label: "line", Values: linesOf(a.Lines), Help: "resident bytes of each line of the account that has some"},
		{Name: "cgoheap_outside_rss_bytes", Label: "line", Values: linesOf(a.OutsideRSS),
			Help: "memory that a control group's limit counts and RSS does not"},
		{Name: "cgoheap_device_bytes", Label: "line", Values: linesOf(a.Devices),
			Help: "memory of devices, which is not in RSS: recorded blocks of this process, and what the driver says; none in a process that uses no device"},
		{Name: "cgoheap_swapped_bytes", Values: one(a.Swapped), Help: "memory of the process that is swapped out"},
		trimmable,
	}, nil
}

func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

// linesOf leaves out what could not be read at all.
func linesOf(lines []AccountLine) (values []MetricValue) {
	for _, l := range lines {
		if l.Resident != 0 || l.ReadError == "" {
			values = append(values, MetricValue{l.Name, float64(l.Resident)})
		}
	}
	return values
}

// counterMetrics has what Stats has, but for what takes a look at the tables, and facts that interest nobody over time.
func (p *Profiler) counterMetrics() ([]Metric, error) {
	lost := Metric{Name: "cgoheap_losses_total", Label: "reason", Counter: true,
		Help: "what profiles lack, by reason: events of the counters of Stats"}
	faults := Metric{Name: "cgoheap_faults", Label: "reason",
		Help: "what is wrong with the recording as a whole, by reason, as the counters of Stats say; 0 where all is well"}
	unnamed := Metric{Name: "cgoheap_unnamed_addresses", Label: "reason",
		Help: "addresses of the last profile without a function, or without lines, by reason"}
	facts := map[string]uint64{}
	for _, l := range p.recording.Counted() {
		value := MetricValue{l.Name, float64(l.Count)}
		switch kindOf(l.Name) {
		case aFact:
			facts[l.Name] = l.Count
		case aLoss:
			lost.Values = append(lost.Values, value)
		case aFault:
			faults.Values = append(faults.Values, value)
		}
	}
	for _, l := range p.names.Losses() {
		unnamed.Values = append(unnamed.Values, MetricValue{reason(l), float64(l.Count)})
	}
	return []Metric{
		{Name: "cgoheap_samples_total", Counter: true, Values: one(facts["samples"]), Help: "blocks that were sampled"},
		{Name: "cgoheap_sampled_frees_total", Counter: true, Values: one(facts["frees"]), Help: "sampled blocks that were freed"},
		{Name: "cgoheap_sampled_blocks", Values: one(facts["live"]), Help: "sampled blocks in use"},
		{Name: "cgoheap_stacks", Values: one(facts["stacks"]), Help: "different stacks that samples had"},
		lost,
		{Name: "cgoheap_freed_blocks_in_use", Values: one(facts["freed_in_use"]),
			Help: "sampled blocks that were freed and count as in use now, because their free was not recorded"},
		faults,
		unnamed,
		{Name: "cgoheap_table_bytes", Values: one(facts["table_bytes"]), Help: "bytes of the profiler's tables in use"},
	}, nil
}

// What a counter of Stats is.
const (
	aFact = iota
	aLoss
	aFault
)

func kindOf(name string) int {
	switch {
	case name == "freed_in_use", name == "table_bytes", strings.HasPrefix(name, "bytes_"):
		return aFact
	case layoutLoss[name]:
		return aLoss
	case layoutFact[name]:
		return aFact
	}
	return aFault
}

var layoutLoss, layoutFact = countersOf(true), countersOf(false)

// countersOf returns the names of the C code's counters that are losses, or are not.
func countersOf(loss bool) map[string]bool {
	names := map[string]bool{}
	for _, c := range layout.Counters {
		if c.Loss == loss {
			names[c.Name] = true
		}
	}
	return names
}

// reason is a counter's name as Stats has it.
func reason(l stack.Loss) string { return strings.ReplaceAll(l.Name, " ", "_") }

func (p *Profiler) workMetrics() ([]Metric, error) {
	last := Metric{Name: "cgoheap_last_dump_timestamp_seconds", Help: "when the last dump was written, in seconds since 1970; missing before the first"}
	if at := p.own.lastDump.Load(); at != 0 {
		last.Values = one(float64(at) / 1e9)
	}
	return []Metric{
		{Name: "cgoheap_work_seconds_total", Label: "work", Counter: true,
			Help:   "time that the profiler spent on accounts and profiles, by the clock; what recording takes is not measured",
			Values: []MetricValue{{"account", float64(p.own.accounts.Load()) / 1e9}, {"profile", float64(p.own.profiles.Load()) / 1e9}}},
		{Name: "cgoheap_dumps_total", Label: "result", Counter: true, Help: "dumps into files, by how they ended",
			Values: []MetricValue{{"written", float64(p.own.dumps.Load())}, {"failed", float64(p.own.dumpsFailed.Load())}}},
		last,
	}, nil
}
