package recovery

import (
	"encoding/json"
	"io"
	"time"

	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/remote"
)

// Story is the file beside a dump: what is known of the process, as JSON.
type Story struct {
	Program   string           `json:"program"`
	Arguments []string         `json:"arguments"`
	Host      string           `json:"host"`
	PID       int              `json:"pid"`
	Go        string           `json:"go"`
	Build     string           `json:"build"`
	Config    map[string]any   `json:"config"`
	Started   time.Time        `json:"started"`
	Ended     time.Time        `json:"ended"`
	Cause     string           `json:"cause"`
	Verdict   []string         `json:"verdict"`
	Account   []Line           `json:"account"` // of the last moment; empty if nothing was noted
	Timeline  *flight.Timeline `json:"timeline,omitempty"`
}

// Line is a figure of the last moment.
type Line struct {
	Name     string `json:"name"`
	Value    int64  `json:"value"`
	Unit     string `json:"unit,omitempty"`
	Sentence string `json:"sentence"`
}

// tell fills in all but the cause and the verdict.
func (s *Story) tell(r *remote.Recording, h *remote.History) {
	about := &r.About
	s.Program, s.Arguments, s.Host, s.PID, s.Go, s.Build = r.Program, about.Arguments, about.Host, about.Process, about.Go, about.Build
	s.Config, s.Started, s.Ended = about.Config, r.Started(), r.Time
	s.Account, s.Timeline = []Line{}, flight.NewTimeline(h.Seconds, h.Minutes)
	last := h.Last()
	for f := range flight.Fields {
		if about := f.About(); last != nil && last.Has(f) {
			s.Account = append(s.Account, Line{about.Name, last.Values[f], about.Unit, about.Sentence})
		}
	}
}

func (s *Story) write(w io.Writer) error { return json.NewEncoder(w).Encode(s) }
