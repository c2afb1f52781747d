package cgoheap

import (
	"fmt"
	"io"
	"runtime"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/pprof"
)

// WriteProfile writes a gzipped profile.proto of one moment during the call: memory in use, and allocated since Start. The
// program goes on allocating meanwhile. It fails if w does, or after Stop.
func (p *Profiler) WriteProfile(w io.Writer) error {
	return p.Write(w, Selection{})
}

// Write writes a profile.proto of what s selects, gzipped unless s turns compression off, of one moment during the call. The
// program goes on allocating meanwhile. It fails if w does, if s is invalid (FieldError), or after Stop. Profiles with the
// same Baseline are taken and written one after another.
func (p *Profiler) Write(w io.Writer, s Selection) error {
	return p.report(&request{Selection: s}, func(r *report.Report) error { return r.Write(w) })
}

// report takes the profile that s asks for and passes it to write.
func (p *Profiler) report(s *request, write func(*report.Report) error) error {
	defer p.recording.Reading()()
	defer p.own.timed(&p.own.profiles)()
	var err error
	s.Selection, err = s.check()
	if err != nil {
		return err
	}
	var memory scratch.Memory
	defer memory.Free()
	since := s.View.since
	if since == nil { // nothing keeps the samples
		s.memory = &memory
	}
	if since != nil { // lock before the snapshot, or it could be older than a Baseline that another call advances
		since.turn.Lock()
		defer since.turn.Unlock()
	}
	s.names, s.learn = p.names, p.learn
	snapshot, err := viewings[s.View.kind].take(p.recording, s)
	if err != nil {
		return fmt.Errorf("cgoheap: %w", err)
	}
	defer runtime.KeepAlive(snapshot) // it keeps the labels of the samples in memory
	if s.picks() {
		snapshot.Unpack()
	}
	now := newHeaps(snapshot, s.GoHeap || snapshot.Account != nil)
	if since == nil {
		err = p.compose(s, snapshot, now, write)
	} else {
		err = p.composeSince(s, snapshot, now, write)
	}
	if err != nil {
		return fmt.Errorf("cgoheap: writing a profile: %w", err)
	}
	return nil
}

func (p *Profiler) composeSince(s *request, snapshot *alloc.Snapshot, now heaps, write func(*report.Report) error) error {
	since, err := s.View.since.compare(s.View, now)
	if err == nil {
		err = p.compose(s, snapshot, since, write)
	}
	if err == nil && s.Advance {
		s.View.since.advance(now)
	}
	return err
}

// compose makes a report of the heaps, whose frames lie in the snapshot's modules, and passes it to write.
func (p *Profiler) compose(s *request, snapshot *alloc.Snapshot, h heaps, write func(*report.Report) error) error {
	view := &viewings[s.View.kind]
	var leaves []report.Leaf
	if snapshot.Account != nil {
		leaves = h.fit(snapshot.Account, snapshot.Mapped)
	}
	profile := h.joined()
	r := report.Report{
		Header: pprof.Header{
			Main:        report.Mapping(snapshot.Main),
			SampleBytes: profile.SampleBytes,
			Time:        profile.Time,
			Comments:    p.comments(s.View, snapshot, &h),
			Columns:     view.Columns,
			DefaultType: view.DefaultType,
			Compression: pprof.Compression(s.Compression),
		},
		Module:  snapshot.Module,
		Names:   p.names,
		Samples: profile.Samples,
		Leaves:  leaves,
		Holders: s.held,
		Each:    snapshot.EachPacked(),
		Group:   report.HeapLabel,
		Bare:    s.BareAddresses,
		Differs: s.View.kind == viewGrowth,
		InUse:   view.InUse,
	}
	if h.golang != nil {
		r.GoSampleBytes = h.golang.SampleBytes
	}
	if s.text {
		r.About = p.accountText(snapshot.Account) + p.suspectsText(snapshot)
	}
	if s.View.since != nil {
		r.Header.Duration = profile.Time.Sub(profile.Start)
	}
	if err := r.Cut(s.MaxSamples, s.MaxBytes); err != nil {
		return err
	}
	return write(&r)
}

func (p *Profiler) comments(v View, s *alloc.Snapshot, h *heaps) []string {
	list := append(viewings[v.kind].Comments(&h.native), v.leftOut()...)
	if n := p.recording.DeviceInUse(); n > 0 && v.kind != viewDevice {
		list = append(list, report.BesideComment(n))
	}
	if h.golang != nil {
		list = append(list, h.comment())
	}
	if s.Account != nil {
		list = append(list, report.AccountComments(s.Account)...)
	}
	for _, n := range s.Notes {
		list = append(list, "cgoheap: "+n)
	}
	if !s.Peak.IsZero() {
		list = append(list, report.PeakComment(s.Peak))
	}
	for _, l := range s.Losses {
		list = append(list, report.LossComment(l))
	}
	if h.golang != nil {
		for _, l := range h.golang.Losses {
			list = append(list, report.LossComment(l))
		}
	}
	return list
}
