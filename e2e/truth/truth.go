// Package truth is what a program that allocates on purpose knows about it, apart from any profiler.
package truth

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
)

// Unknown stands for a number that the program cannot know, such as the bytes that an exception takes.
const Unknown = -1 << 40

// Values are amounts in the order of a heap profile's sample types.
type Values struct {
	AllocObjects, AllocBytes, InuseObjects, InuseBytes int64
}

// Array is the values as a profile's sample has them.
func (v Values) Array() [4]int64 {
	return [4]int64{v.AllocObjects, v.AllocBytes, v.InuseObjects, v.InuseBytes}
}

// Site is a stack, by the functions that are the program's own, leaf first, and what was allocated there.
type Site struct {
	Frames []string
	Values
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
		site = &Site{Frames: append([]string(nil), frames...)}
		l.sites[key] = site
	}
	site.AllocObjects += v.AllocObjects
	site.AllocBytes += v.AllocBytes
	site.InuseObjects += v.InuseObjects
	site.InuseBytes += v.InuseBytes
}

// Report is all that the program has to say.
type Report struct {
	Sites []*Site
	Stats string // the profiler's own counters
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
