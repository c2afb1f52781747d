package recovery

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
)

// verdict returns three sentences on which a person can act: how the process ended, what its memory was, and who held most.
func verdict(r *remote.Recording, h *remote.History, cause string, who *holders) []string {
	when := "at a time that is not known, after " + r.Started().UTC().Format(time.RFC3339)
	if h.Last() != nil {
		when = fmt.Sprintf("at about %s, %v after its recording began", r.Time.UTC().Format(time.RFC3339), r.Time.Sub(r.Started()).Round(time.Second))
	}
	return []string{
		fmt.Sprintf("%s, process %d on %s, ended %s: %s", r.Program, r.About.Process, r.About.Host, when, cause),
		memory(h),
		who.sentence(residentIn(h)),
	}
}

// memory describes the last record, and how memory came to that.
func memory(h *remote.History) string {
	last := h.Last()
	if last == nil || !last.Has(flight.RSS) {
		return "what its memory was is not known: the flight recorder noted nothing, or in the form of another version"
	}
	text := fmt.Sprintf("its resident memory was %s", report.Bytes(last.Values[flight.RSS]))
	if limit := last.Values[flight.GroupLimit]; last.Has(flight.GroupUsed) && limit > 0 {
		text += fmt.Sprintf(" (the control group used %s of its limit of %s)", report.Bytes(last.Values[flight.GroupUsed]), report.Bytes(limit))
	}
	parts := []string{"Go " + report.Bytes(last.Go())}
	for _, part := range []struct {
		field flight.Field
		name  string
	}{{flight.Native, "in use by malloc"}, {flight.MallocFree, "kept free by malloc"}} {
		if last.Has(part.field) {
			parts = append(parts, report.Bytes(last.Values[part.field])+" "+part.name)
		}
	}
	return text + ": " + strings.Join(append(parts, others(last)...), ", ") + beyond(last) + growth(h)
}

// residentIn returns the last resident memory that was noted; flight.Unknown if none was.
func residentIn(h *remote.History) int64 {
	if last := h.Last(); last != nil && last.Has(flight.RSS) {
		return last.Values[flight.RSS]
	}
	return flight.Unknown
}

// restOf is what of resident memory is neither Go's nor malloc's. It is negative if these were not all resident.
func restOf(last *flight.Record) int64 {
	rest := last.Values[flight.RSS] - last.Go()
	for _, f := range []flight.Field{flight.Native, flight.MallocFree} {
		rest -= max(0, last.Values[f])
	}
	return rest
}

// beyond says why the parts may be more than the whole.
func beyond(last *flight.Record) string {
	if restOf(last) >= 0 {
		return ""
	}
	return "; that is more than was resident, because memory in use counts that was never written to or was swapped out, and sampled blocks are an estimate"
}

// others is the rest of resident memory, and what the program has mapped, of which nobody has counted what is resident.
func others(last *flight.Record) (parts []string) {
	if rest := restOf(last); rest > 0 {
		ofMalloc := "headers of malloc"
		if !last.Has(flight.MallocFree) {
			ofMalloc += " and what it keeps free"
		}
		parts = append(parts, fmt.Sprintf("%s other (files, stacks, %s, mapped memory)", report.Bytes(rest), ofMalloc))
	}
	if mapped := last.Values[flight.Mapped]; mapped > 0 {
		parts = append(parts, report.Bytes(mapped)+" of addresses mapped directly, resident or not")
	}
	return parts
}

// least is the shortest time for which growth is reported.
const least = 10 * time.Second

// growth describes how resident memory changed in the last ten minutes, or since the first record if that is later.
func growth(h *remote.History) string {
	const span = 10 * time.Minute
	last := h.Last()
	for i := range h.Seconds {
		first := &h.Seconds[i]
		over := last.Time.Sub(first.Time)
		if over > span || over < least || !first.Has(flight.RSS) {
			continue
		}
		grown := last.Values[flight.RSS] - first.Values[flight.RSS]
		word := "grew"
		if grown < 0 {
			word, grown = "shrank", -grown
		}
		return fmt.Sprintf("; it %s by %s in the last %v", word, report.Bytes(grown), over.Round(time.Second))
	}
	return ""
}

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
