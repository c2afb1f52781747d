package cgoheap

import (
	"slices"
	"strings"
	"sync"
)

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
