package cgoheap

import (
	"fmt"
	"io"
	"runtime"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/report"
	"github.com/cgoheap/cgoheap/stack"
)

// WriteProfile writes a gzipped profile.proto of one moment during the call: in use, and allocated since Start. The
// program allocates on meanwhile. It fails if w does, or after Stop.
func (p *Profiler) WriteProfile(w io.Writer) error {
	return p.Write(w, Selection{})
}

// Write writes a profile.proto of what s selects, gzipped unless s says otherwise, of one moment during the call. The
// program allocates on meanwhile. It fails if w does, if s makes no sense, or after Stop. Profiles with the same Since are
// taken and written one after the other.
func (p *Profiler) Write(w io.Writer, s Selection) error {
	return p.report(s, func(r *report.Report) error { return r.Write(w) })
}

// report takes what s selects and hands it to write.
func (p *Profiler) report(s Selection, write func(*report.Report) error) error {
	defer p.recording.Reading()()
	s, err := s.check()
	if err != nil {
		return err
	}
	var memory scratch.Memory
	defer memory.Free()
	if s.Since == nil { // nothing keeps the samples
		s.memory = &memory
	}
	if s.Since != nil { // before the snapshot, which would otherwise be older than a moment that another call advanced
		s.Since.turn.Lock()
		defer s.Since.turn.Unlock()
	}
	snapshot, err := viewings[s.View].take(p.recording, &s)
	if err != nil {
		return fmt.Errorf("cgoheap: %w", err)
	}
	defer runtime.KeepAlive(snapshot) // which keeps the labels of what lies in memory
	if s.picks() {
		snapshot.Unpack()
	}
	now := newHeaps(snapshot, s.GoHeap)
	if s.Since == nil {
		err = p.compose(s, snapshot, now, write)
	} else {
		err = p.composeSince(s, snapshot, now, write)
	}
	if err != nil {
		return fmt.Errorf("cgoheap: writing a profile: %w", err)
	}
	return nil
}

func (p *Profiler) composeSince(s Selection, snapshot *alloc.Snapshot, now heaps, write func(*report.Report) error) error {
	since, err := s.Since.compare(s.View, now)
	if err == nil {
		err = p.compose(s, snapshot, since, write)
	}
	if err == nil && s.Advance {
		s.Since.advance(now)
	}
	return err
}

// compose makes a report of the heaps, whose frames lie in the snapshot's modules, and hands it to write.
func (p *Profiler) compose(s Selection, snapshot *alloc.Snapshot, h heaps, write func(*report.Report) error) error {
	view, profile := &viewings[s.View], h.joined()
	r := report.Report{
		Header: pprof.Header{
			Main:        report.Mapping(snapshot.Main),
			SampleBytes: profile.SampleBytes,
			Time:        profile.Time,
			Comments:    comments(view, snapshot, &h),
			Columns:     view.columns,
			DefaultType: view.defaultType,
			Compression: s.Compression,
		},
		Module:  snapshot.Module,
		Names:   p.names,
		Samples: profile.Samples,
		Each:    snapshot.EachPacked(),
		Group:   heapLabel,
		Bare:    s.BareAddresses,
	}
	if s.Since != nil {
		r.Header.Duration = profile.Time.Sub(profile.Start)
	}
	if err := r.Cut(s.MaxSamples, s.MaxBytes); err != nil {
		return err
	}
	return write(&r)
}

// sizesComment says why a process takes more memory than its profile explains.
const sizesComment = "cgoheap: sizes are those that the program asked for; what an allocator adds by headers and rounding, 13 to 17 % " +
	"where blocks are small, is not in them"

func comments(view *viewing, s *alloc.Snapshot, h *heaps) []string {
	const seconds = "2006-01-02 15:04:05 MST"
	list := []string{fmt.Sprintf("cgoheap: native memory %s %s, one sample per %d bytes on average",
		view.about, h.native.Start.UTC().Format(seconds), h.native.SampleBytes), sizesComment}
	if h.golang != nil {
		list = append(list, h.comment())
	}
	if !s.Peak.IsZero() {
		list = append(list, "cgoheap: the highest moment was at "+s.Peak.UTC().Format(seconds))
	}
	for _, l := range s.Losses {
		list = append(list, lossComment(l))
	}
	if h.golang != nil {
		for _, l := range h.golang.Losses {
			list = append(list, lossComment(l))
		}
	}
	return list
}

func lossComment(l stack.Loss) string {
	return fmt.Sprintf("cgoheap: %s: %d %s", l.Name, l.Count, l.Sentence)
}
