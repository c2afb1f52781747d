package truth

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// Site is a stack, given by the program's own functions, leaf first, and what was allocated there.
type Site struct {
	Frames []string
	Values Values
}

// Ledger adds up sites. Its methods may be called at the same time.
type Ledger struct {
	mutex sync.Mutex
	sites map[string]*Site
}

// Add adds v to the site with these frames.
func (l *Ledger) Add(frames []string, v Values) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.sites == nil {
		l.sites = make(map[string]*Site)
	}
	key := strings.Join(frames, "\n")
	site := l.sites[key]
	if site == nil {
		site = &Site{Frames: slices.Clone(frames)}
		l.sites[key] = site
	}
	site.Values.Add(v)
}

// Report is everything that the program knows.
type Report struct {
	Sites  []*Site
	Losses []string // by the profiler's own counters
}

// Report returns the sites so far.
func (l *Ledger) Report() Report {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var r Report
	for _, site := range l.sites {
		r.Sites = append(r.Sites, site)
	}
	return r
}

// Write writes the report as JSON.
func (r Report) Write(path string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return fmt.Errorf("writing the truth: %w", err)
	}
	return os.WriteFile(path, data, 0o600)
}

// Read reads what Write wrote.
func Read(path string) (Report, error) {
	var r Report
	data, err := os.ReadFile(path)
	if err != nil {
		return r, fmt.Errorf("reading the truth: %w", err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("reading the truth in %s: %w", path, err)
	}
	return r, nil
}
