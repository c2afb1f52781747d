package cgoheap

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/serve"
	"github.com/cgoheap/cgoheap/stack"
)

// Metric is one of the profiler's metrics. Its name and unit follow the conventions of Prometheus. docs/metrics.md has the list.
type Metric struct {
	Name    string // with the unit at its end, which is bytes or seconds; then _total for a counter
	Help    string // what it is
	Counter bool   // it only grows until the process ends; otherwise it is a gauge
	Label   string // the key of the label that tells its values apart; "" if there can be one value only
	Target  string // the value of the label "target", which all its values have: the server of an exporter; "" for none

	Values []MetricValue // none if nothing is known
}

// MetricValue is a value of a Metric, with the value of its label.
type MetricValue struct {
	Label string
	Value float64
}

// Metrics returns the profiler's metrics, in a fixed order. They are meant to be asked for every few seconds: the lines of the
// account are those of the last minute at most, because all callers share one for 200 times as long as it took, from 5 s to a minute.
// Everything else is of this moment, and takes less than a millisecond. If a part cannot be read, its metrics are missing, and
// cgoheap_part_up is 0 for it. After Stop cgoheap_up is 0, and what was counted remains. Metrics that AddMetrics added come last;
// those of one name stand together and differ in their Target.
func (p *Profiler) Metrics() []Metric {
	up := Metric{Name: "cgoheap_up", Help: "1 while native allocations are recorded, 0 after Stop",
		Values: one(p.recording.SampleBytes() > 0)}
	parts := Metric{Name: "cgoheap_part_up", Help: "1 for each part of these metrics that could be read, 0 for one whose metrics are missing", Label: "part"}
	var list []Metric
	for _, part := range metricParts {
		made, err := p.metricsOf(part)
		list = append(list, made...)
		parts.Values = append(parts.Values, MetricValue{part.name, number(err == nil)})
	}
	made, values := p.added.read(p.metricsOf)
	parts.Values = append(parts.Values, values...)
	return append(append([]Metric{up, parts}, list...), made...)
}

// metricsOf reads a part; none of it if that panics.
func (p *Profiler) metricsOf(part metricPart) (list []Metric, err error) {
	if fault := background.Guard("a part of the metrics", func() { list, err = part.read(p) }); fault != nil {
		_ = background.Guard("the report", func() { p.failed(fault) })
		err = fault
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func one[N bool | int64 | uint64 | float64](n N) []MetricValue {
	switch n := any(n).(type) {
	case bool:
		return []MetricValue{{Value: number(n)}}
	case int64:
		return []MetricValue{{Value: float64(n)}}
	case uint64:
		return []MetricValue{{Value: float64(n)}}
	}
	return []MetricValue{{Value: any(n).(float64)}}
}

// metricsText returns the metrics that have values, in Prometheus's text format.
func metricsText(list []Metric) []byte {
	var text serve.Exposition
	last, target := "", serve.Label{Key: "target"}
	for _, m := range list {
		if len(m.Values) == 0 {
			continue
		}
		if m.Name != last {
			text.Metric(m.Name, m.Help, m.Counter)
			last = m.Name
		}
		for _, v := range m.Values {
			labels := []serve.Label{{Key: m.Label, Value: v.Label}}
			if m.Target != "" {
				target.Value = m.Target
				labels = append(labels, target)
			}
			text.Value(m.Name, v.Value, labels...)
		}
	}
	return text.Bytes()
}

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
		{Name: "cgoheap_native_in_use_bytes", Values: one(p.recording.MallocInUse()),
			Help: "blocks in use of malloc, and of pools that the program reports, by the sizes that it asked for; an estimate unless every allocation is recorded"},
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
		p.accounts.forget()
		return nil, errNotRecording
	}
	a, err := p.accounts.recent(p.takeAccount, p.failed)
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

// AddMetrics adds the metrics of a part of the program that belongs to the profiler to Metrics, until remove is called. Exporters add
// theirs, as the part "export". Several may be of one part if their metrics have a Target each. The names must begin with cgoheap_, the
// part and _; metrics with other names are left out, and so are those with a name and a Target that were already there, because scrapers
// refuse them. read is called at each scrape, from any goroutine, and should not wait. If it panics, cgoheap_part_up is 0 for the part.
func (p *Profiler) AddMetrics(part string, read func() []Metric) (remove func()) {
	return p.added.add(&metricPart{part, func(*Profiler) ([]Metric, error) { return read(), nil }})
}

// addedMetrics are the parts that AddMetrics added.
type addedMetrics struct {
	mu   sync.Mutex
	list []*metricPart
}

func (a *addedMetrics) add(part *metricPart) (remove func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, part)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.list = slices.DeleteFunc(a.list, func(other *metricPart) bool { return other == part })
	}
}

// read reads all parts, each by one. It returns their metrics, those of one name together, and for each part 1, or 0 if one of that
// name could not be read. It does not hold the lock meanwhile: what is added may be slow, or remove itself.
func (a *addedMetrics) read(one func(metricPart) ([]Metric, error)) (list []Metric, parts []MetricValue) {
	a.mu.Lock()
	added := slices.Clone(a.list)
	a.mu.Unlock()
	up := map[string]bool{}
	for _, part := range added {
		made, err := one(*part)
		before, known := up[part.name]
		up[part.name] = err == nil && (before || !known)
		for _, m := range made {
			if strings.HasPrefix(m.Name, "cgoheap_"+part.name+"_") {
				list = insert(list, m)
			}
		}
		if !known {
			parts = append(parts, MetricValue{Label: part.name})
		}
	}
	for i := range parts {
		parts[i].Value = number(up[parts[i].Label])
	}
	return list, parts
}

// insert adds a metric behind those of its name, unless its Target is among them.
func insert(list []Metric, m Metric) []Metric {
	at := len(list)
	for i := range list {
		if list[i].Name != m.Name {
			continue
		}
		if list[i].Target == m.Target {
			return list
		}
		at = i + 1
	}
	return slices.Insert(list, at, m)
}

// ownWork counts what the profiler does beside recording.
type ownWork struct {
	accounts, profiles atomic.Int64 // time that they took, in nanoseconds
	dumps, dumpsFailed atomic.Uint64
	lastDump           atomic.Int64 // when the last one was written, in nanoseconds since 1970; 0: never
}

// timed adds the time until the function that it returns is called.
func (*ownWork) timed(to *atomic.Int64) (done func()) {
	begin := time.Now()
	return func() { to.Add(int64(time.Since(begin))) }
}

// dumped counts a dump.
func (o *ownWork) dumped(err error) {
	if err != nil {
		o.dumpsFailed.Add(1)
		return
	}
	o.dumps.Add(1)
	o.lastDump.Store(time.Now().UnixNano())
}
