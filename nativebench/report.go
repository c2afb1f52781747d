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
	now, written, err := r.take(cgoheap.ViewInUse())
	if err != nil {
		return err
	}
	peak, writtenPeak, err := r.take(cgoheap.ViewPeak())
	if err != nil {
		return err
	}
	leaked, err := r.leaked(now)
	if err != nil {
		return err
	}
	if err := lost(r.profiler.Stats()); err != nil {
		return err
	}
	n := float64(max(1, b.N))
	b.ReportMetric(float64(sum(now, "alloc_space"))/n, "native-B/op")
	b.ReportMetric(float64(sum(now, "alloc_objects"))/n, "native-allocs/op")
	b.ReportMetric(float64(sum(peak, "inuse_space")), "peak-native-B")
	b.ReportMetric(float64(leaked)/n, "leaked-native-B/op")
	return errors.Join(save(b, ".pb.gz", written), save(b, ".peak.pb.gz", writtenPeak))
}

// take returns a profile without the threads that Go's runtime begins, and also as it was written.
func (r *recording) take(v cgoheap.View) (*profile.Profile, []byte, error) {
	var written bytes.Buffer
	if err := r.profiler.Write(&written, cgoheap.Selection{View: v}); err != nil {
		return nil, nil, err
	}
	p, err := profile.ParseData(written.Bytes())
	if err == nil {
		leaveOut(p, func(function string) bool { return function == "runtime.newm1" })
	}
	return p, written.Bytes(), err
}

// leaked returns the bytes that are in use and nobody's to keep. now is the profile before Go's garbage is collected.
func (r *recording) leaked(now *profile.Profile) (bytes int64, err error) {
	if sum(now, "inuse_space") > 0 {
		if err := kept.Collect(func() uint64 { return r.profiler.Stats().Value("frees") }); err != nil {
			return 0, err
		}
		if now, _, err = r.take(cgoheap.ViewInUse()); err != nil {
			return 0, err
		}
	}
	leaveOut(now, kept.Is)
	return sum(now, "inuse_space"), nil
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

// lost returns an error if the sums lack something.
func lost(stats cgoheap.Stats) error {
	for _, c := range stats {
		if c.Value > 0 && (strings.HasPrefix(c.Name, "lost_") || slices.Contains([]string{"frees_lost", "operators_unseen"}, c.Name)) {
			return fmt.Errorf("%s is %d: %s", c.Name, c.Value, c.Sentence)
		}
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

// save writes a profile of the benchmark to the directory for profiles, if there is one.
func save(b *testing.B, suffix string, written []byte) error {
	dir := os.Getenv("CGOHEAP_BENCH_DIR")
	if dir == "" {
		return nil
	}
	path := filepath.Join(dir, filepath.FromSlash(packageOf()), strings.ReplaceAll(cmp.Or(b.Name(), "unnamed"), "/", "_")+suffix)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, written, 0o644)
}
