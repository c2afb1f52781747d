package nativebench

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/kept"
)

// Report records every native allocation until the end of the benchmark, and then adds native-B/op, native-allocs/op,
// peak-native-B and leaked-native-B/op to its result. It resets the benchmark's timer, and so belongs right before the loop.
func Report(b *testing.B) {
	b.Helper()
	if os.Getenv("CGOHEAP") == "off" {
		return
	}
	r, err := begin()
	if err != nil && os.Getenv(dirVariable) != "" {
		b.Errorf("nativebench: %s asks for profiles, and native memory is not reported: %v", dirVariable, err)
		return
	}
	if err != nil {
		b.Logf("nativebench: native memory is not reported: %v", err)
		return
	}
	b.Cleanup(func() {
		b.Helper()
		if err := r.end(b); err != nil {
			b.Errorf("nativebench: native memory is not reported: %v", err)
		}
	})
	b.ResetTimer()
}

const (
	sampleBytes = 1         // every allocation
	tableBytes  = 128 << 20 // room for two million blocks in use; only what is used takes memory
)

// recording is what one call of Report records.
type recording struct{ profiler *cgoheap.Profiler }

// running is the recording that has not ended. Benchmarks do not run at the same time, but one may be around others.
var running struct {
	sync.Mutex
	*recording
}

// begin ends the recording of the benchmark around this one, whose result is not printed.
func begin() (*recording, error) {
	running.Lock()
	defer running.Unlock()
	if r := running.recording; r != nil {
		if err := r.profiler.Stop(); err != nil {
			return nil, fmt.Errorf("the recording before this one: %w", err)
		}
		running.recording = nil
	}
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: sampleBytes, TableBytes: tableBytes})
	if errors.Is(err, cgoheap.ErrRunning) {
		err = errors.New("a profiler is running in this process: package auto is imported, or the benchmark has called cgoheap.Start")
	}
	if err != nil {
		return nil, err
	}
	running.recording = &recording{p}
	return running.recording, nil
}

// end reports what was recorded, unless a benchmark within this one has ended the recording.
func (r *recording) end(b *testing.B) error {
	running.Lock()
	defer running.Unlock()
	if running.recording != r {
		return nil
	}
	defer func() {
		if r.profiler.Stop() == nil {
			running.recording = nil // otherwise begin tries again
		}
	}()
	if b.Failed() || b.Skipped() {
		return nil
	}
	if err := kept.Collect(func() uint64 { return r.profiler.Stats().Value("frees") }); err != nil {
		return err
	}
	now, _, err := r.take(cgoheap.ViewInUse())
	if err != nil {
		return err
	}
	peak, ofThreads, err := r.take(cgoheap.ViewPeak())
	if err != nil {
		return err
	}
	if err := lost(r.profiler.Stats()); err != nil {
		return err
	}
	if err := errors.Join(save(b, ".pb.gz", now), save(b, ".peak.pb.gz", peak)); err != nil {
		return err
	}
	n, most := float64(max(1, b.N)), sum(peak, "inuse_space")
	b.ReportMetric(float64(sum(now, "alloc_space"))/n, "native-B/op")
	b.ReportMetric(float64(sum(now, "alloc_objects"))/n, "native-allocs/op")
	b.ReportMetric(float64(most), "peak-native-B")
	leaveOut(now, kept.Is)
	b.ReportMetric(float64(sum(now, "inuse_space"))/n, "leaked-native-B/op")
	// The peak is of the moment with the most bytes, those of threads among them. Without them the most was at most this much more.
	if ofThreads > most/100 {
		b.Logf("nativebench: with b.N = %d, peak-native-B may be up to %d too low: as many bytes were in use for threads that Go's runtime began",
			b.N, ofThreads)
	}
	return nil
}

// take returns a profile without the threads that Go's runtime begins, and the bytes in use that it thus lacks. A comment of the
// profile says what it lacks.
func (r *recording) take(v cgoheap.View) (p *profile.Profile, ofThreads int64, err error) {
	var written bytes.Buffer
	if err := r.profiler.Write(&written, cgoheap.Selection{View: v}); err != nil {
		return nil, 0, err
	}
	if p, err = profile.ParseData(written.Bytes()); err != nil {
		return nil, 0, err
	}
	lacks := make(map[string]int64)
	for _, t := range p.SampleType {
		lacks[t.Type] = sum(p, t.Type)
	}
	leaveOut(p, func(function string) bool { return function == "runtime.newm1" })
	comment := "nativebench: left out is what libc allocates for threads that Go's runtime begins:"
	for _, t := range p.SampleType {
		lacks[t.Type] -= sum(p, t.Type)
		comment += fmt.Sprintf(" %s %d", t.Type, lacks[t.Type])
	}
	p.Comments = append(p.Comments, comment)
	return p, lacks["inuse_space"], nil
}

// leaveOut takes the stacks with a function out of a profile.
func leaveOut(p *profile.Profile, is func(function string) bool) {
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool {
		return slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
			return slices.ContainsFunc(l.Line, func(l profile.Line) bool { return is(l.Function.SystemName) })
		})
	})
}

func sum(p *profile.Profile, column string) (total int64) {
	at := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == column })
	for _, s := range p.Sample {
		total += s.Value[at]
	}
	return total
}

// losses are the counters of what makes a sum wrong. Others are of names, stacks, labels, lifetimes and mapped memory.
var losses = []string{
	"lost_stack_table_full", "lost_site_table_full", "lost_live_table_full", "lost_gate_full", "lost_carry", "operators_unseen",
	"frees_lost", "frees_unseen", "freed_in_use", "snapshots_unsettled", "peak_inexact",
}

// lost returns an error if the sums lack something.
func lost(stats cgoheap.Stats) error {
	for _, c := range stats {
		if c.Value == 0 || !slices.Contains(losses, c.Name) {
			continue
		}
		advice := ""
		if strings.HasSuffix(c.Name, "_table_full") {
			advice = "; fewer iterations, such as -benchtime=100x, need less room"
		}
		return fmt.Errorf("%s is %d: %s%s", c.Name, c.Value, c.Sentence, advice)
	}
	return nil
}

// packageOf returns the import path of the package whose benchmarks this program has.
func packageOf() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	return strings.TrimSuffix(info.Path, ".test")
}

const dirVariable = "CGOHEAP_BENCH_DIR"

// fileNames has names of benchmarks make names of files, each another one.
var fileNames = strings.NewReplacer("%", "%25", "/", "%2F", ".peak", "%2Epeak")

// save writes a profile of the benchmark to the directory for profiles, if there is one.
func save(b *testing.B, suffix string, p *profile.Profile) error {
	dir := os.Getenv(dirVariable)
	if dir == "" {
		return nil
	}
	var written bytes.Buffer
	if err := p.Write(&written); err != nil {
		return err
	}
	path := filepath.Join(dir, filepath.FromSlash(packageOf()), fileNames.Replace(cmp.Or(b.Name(), "unnamed"))+suffix)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, written.Bytes(), 0o644)
}
