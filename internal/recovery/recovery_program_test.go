//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package recovery_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func TestTheBoxOfAProcessThatWasKilledBecomesADump(t *testing.T) {
	dir := toolchain.Memory(t)
	m := begin(t, dir)
	if found, log := run(dir, 10); len(found) > 0 || log != "" {
		t.Fatalf("of a living process: %+v, %s", found, log)
	}
	m.kill()
	killed := time.Now()
	found, log := run(dir, 10)
	if len(found) != 1 {
		t.Fatalf("%+v, %s", found, log)
	}
	f := found[0]
	if f.PID != m.Process.Pid || killed.Sub(f.Ended) > 5*time.Second || f.Ended.After(killed) || !strings.HasPrefix(f.Cause, "unknown") {
		t.Errorf("%+v, killed at %v", f.Story, killed)
	}
	for _, sentence := range f.Verdict {
		if !strings.Contains(log, "WARN msg=\"cgoheap: "+sentence) {
			t.Errorf("the log lacks %q: %s", sentence, log)
		}
	}
	if len(f.Verdict) != 3 || !strings.Contains(f.Verdict[1], "its resident memory was ") || !strings.Contains(f.Verdict[2], "called from github.com/cgoheap/cgoheap/internal/victim.Malloc") ||
		!strings.Contains(log, "profile="+f.Path) {
		t.Errorf("%q, %s", f.Verdict, log)
	}
	checkDump(t, f.Path)
	if left := named(t, dir, "*.box*"); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	if found, log := run(dir, 10); len(found) > 0 || log != "" {
		t.Errorf("again: %+v, %s", found, log)
	}
}

// checkDump checks the profile, which has both heaps, and the file beside it.
func checkDump(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := profiletest.Parse(t, f)
	if got := profiletest.Sum(profiletest.Through(p, "Leak")); got != [4]int64{1, leaked, 1, leaked} {
		t.Errorf("%v", got)
	}
	if got := profiletest.Sum(profiletest.Through(p, "keepInGo")); got[3] != 8<<20 {
		t.Errorf("Go's heap: %v", got)
	}
	text, err := os.ReadFile(strings.TrimSuffix(path, ".pb.gz") + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var story struct {
		Verdict []string
		Account []struct {
			Name  string
			Value int64
		}
		Timeline struct{ Seconds [][]*int64 }
	}
	if err := json.Unmarshal(text, &story); err != nil {
		t.Fatal(err)
	}
	values := map[string]int64{}
	for _, l := range story.Account {
		values[l.Name] = l.Value
	}
	if values["native"] < leaked || values["rss"] < leaked || values["go_heap"] < 8<<20 || len(story.Timeline.Seconds) < 2 || len(story.Verdict) != 3 {
		t.Errorf("%s", text)
	}
}

// Three recover at once, while a fourth writes beside them.
func TestABoxIsRecoveredOnce(t *testing.T) {
	long(t)
	dir := toolchain.Memory(t)
	begin(t, dir) // lives, and has looked for boxes before there are others
	both := []*mortal{begin(t, dir), begin(t, dir)}
	for _, m := range both { // or one might recover the other's box
		_ = m.Process.Signal(syscall.SIGSTOP)
	}
	for _, m := range both {
		m.kill()
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for range 3 {
		all.Go(func() {
			found, log := run(dir, 10)
			mu.Lock()
			defer mu.Unlock()
			total += len(found)
			if strings.Contains(log, "ERROR") || strings.Contains(log, "left alone") {
				t.Error(log)
			}
		})
	}
	all.Wait()
	if dumps := named(t, dir, "*.cgoheap.pb.gz"); total != 2 || len(dumps) != 2 || len(named(t, dir, "*.cgoheap.json")) != 2 || len(named(t, dir, "*.box")) != 1 {
		t.Errorf("%d found, %q", total, dumps)
	}
}

// Whoever recovered it was killed before it could remove the box.
func TestABoxWhoseDumpIsThereIsOnlyRemoved(t *testing.T) {
	dir := toolchain.Memory(t)
	box, text := dead(t, dir)
	info, err := os.Stat(box)
	if err != nil {
		t.Fatal(err)
	}
	if found, log := run(dir, 10); len(found) != 1 {
		t.Fatal(log)
	}
	if err := errors.Join(os.WriteFile(box, text, 0o600), os.Chtimes(box, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	found, log := run(dir, 10)
	if len(found) != 0 || len(named(t, dir, "*.pb.gz")) != 1 || len(named(t, dir, "*.box")) != 0 {
		t.Errorf("%+v, %s", found, log)
	}
}

func TestHowAProcessEnded(t *testing.T) {
	long(t)
	for about, c := range map[string]struct {
		end  func(*mortal)
		want string // in the cause; "" for an orderly end
	}{
		"a signal that asks for it": {func(m *mortal) { _ = m.Process.Signal(syscall.SIGTERM) }, ""},
		"a signal to one that hangs": {func(m *mortal) {
			m.say("hang")
			if line, err := m.out.ReadString('\n'); line != "hangs\n" {
				t.Error(line, err)
			}
			hung := func() bool { return strings.Contains(m.causeNow(t), "hung, or was stopped, for ") } // once it has been silent for long enough
			for begin := time.Now(); !hung() && time.Since(begin) < 10*time.Minute; {
				_ = m.Process.Signal(syscall.SIGTERM)
				time.Sleep(100 * time.Millisecond)
			}
			_ = m.Process.Kill()
		}, "hung, or was stopped, for "},
		"an exit":                       {func(m *mortal) { m.say("exit") }, "unknown: it exited without Profiler.Stop"},
		"a crash in C":                  {func(m *mortal) { m.say("crash") }, "signal 11 (segmentation fault)"},
		"a crash in C, for a core":      {func(m *mortal) { m.say("crash for a core") }, "most likely crashed with signal 11 (segmentation fault)"},
		"a SIGABRT, for a core":         {func(m *mortal) { m.say("abort for a core") }, "crashed with signal 6 (aborted)"},
		"a request to quit, for a core": {func(m *mortal) { m.say("quit for a core") }, ""},
		"an abort after a fault and requests to itself, which it survived": {func(m *mortal) { m.say("abort after requests") }, "crashed with signal 6 (aborted)"},
		"a kill after a panic that was recovered": {func(m *mortal) {
			m.say("fault")
			if line, err := m.out.ReadString('\n'); line != "survived\n" {
				t.Error(line, err)
			}
			_ = m.Process.Kill()
		}, "unknown: it exited without Profiler.Stop"},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			dir := toolchain.Memory(t)
			m := begin(t, dir)
			c.end(m)
			_ = m.Wait()
			found, log := run(dir, 10)
			if c.want == "" {
				if len(found) > 0 || strings.Contains(log, "WARN") {
					t.Errorf("%+v, %s", found, log)
				}
			} else if len(found) != 1 || !strings.Contains(found[0].Cause, c.want) {
				t.Errorf("%+v, %s", found, log)
			}
			if left := named(t, dir, "*.box*"); len(left) > 0 {
				t.Errorf("%q are left", left)
			}
		})
	}
}

func TestStartRecoversAndTells(t *testing.T) {
	dir, to := toolchain.Memory(t), t.TempDir()
	m := begin(t, dir)
	m.kill()
	p, err := cgoheap.Start(cgoheap.Config{BlackBox: dir, RecoverDir: to, RecoverKeep: 3})
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.Recovered(context.Background())
	if err != nil || len(found) != 1 || found[0].PID != m.Process.Pid || filepath.Dir(found[0].Path) != to || len(found[0].Verdict) != 3 {
		t.Errorf("%+v, %v", found, err)
	}
	for _, f := range found {
		checkDump(t, f.Path)
	}
	if left, err := blackbox.Names(dir); len(left) != 1 || err != nil { // its own
		t.Errorf("%q, %v", left, err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if p, err = cgoheap.Start(cgoheap.Config{}); err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	if found, err := p.Recovered(over); len(found) != 0 || err != nil {
		t.Errorf("without a black box: %+v, %v", found, err)
	}
}
