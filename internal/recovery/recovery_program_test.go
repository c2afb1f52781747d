//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package recovery_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/recovery"
	"github.com/cgoheap/cgoheap/internal/victim"
)

const (
	boxes  = "CGOHEAP_TEST_BOXES"
	leaked = 3_000_017
)

var kept [][]byte

//go:noinline
func keepInGo(bytes int) { kept = append(kept, make([]byte, bytes)) }

// TestTheProcessThatDies is the other process. It ends as its input says, or is killed.
func TestTheProcessThatDies(t *testing.T) {
	dir := os.Getenv(boxes)
	if dir == "" {
		return // for a process of its own, which runs this test alone
	}
	keepInGo(8 << 20)
	if _, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1, TableBytes: 16 << 20, BlackBox: dir}); err != nil {
		t.Fatal(err)
	}
	profiletest.Leak(leaked)
	time.Sleep(1200 * time.Millisecond) // there is a record of it then
	os.Stdout.WriteString("recorded\n")
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	switch lines.Text() {
	case "exit":
		os.Exit(0)
	case "crash":
		victim.Crash()
	}
	select {}
}

// mortal is the process.
type mortal struct {
	*exec.Cmd
	say func(string)
}

func begin(t *testing.T, dir string) *mortal {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestTheProcessThatDies$", "-test.count=1")
	c.Env = append(os.Environ(), boxes+"="+dir)
	in, inErr := c.StdinPipe()
	out, outErr := c.StdoutPipe()
	if err := errors.Join(inErr, outErr, c.Start()); err != nil {
		t.Fatal(err)
	}
	m := &mortal{c, func(line string) { _, _ = in.Write([]byte(line + "\n")) }}
	t.Cleanup(m.kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "recorded\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return m
}

func (m *mortal) kill() {
	_ = m.Process.Kill()
	_ = m.Wait()
}

// run recovers a directory, and returns what was logged.
func run(dir string, keep int) ([]recovery.Found, string) {
	var log bytes.Buffer
	var mu sync.Mutex
	found := recovery.Run(recovery.Options{Boxes: dir, To: dir, Keep: keep, Ended: func() bool { return false },
		Logger: slog.New(slog.NewTextHandler(&locked{&mu, &log}, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	return found, log.String()
}

type locked struct {
	*sync.Mutex
	*bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(b)
}

// boxCalled is the path of a box of this program on some host.
func boxCalled(dir, host string) string { return filepath.Join(dir, blackbox.Prefix()+host+".1.a.box") }

func named(t *testing.T, dir, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestTheBoxOfAProcessThatWasKilledBecomesADump(t *testing.T) {
	dir := t.TempDir()
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
	dir := t.TempDir()
	dead := []*mortal{begin(t, dir), begin(t, dir)}
	begin(t, dir) // lives
	for _, m := range dead {
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
	dir := t.TempDir()
	m := begin(t, dir)
	m.kill()
	box := named(t, dir, "*.box")[0]
	text, err := os.ReadFile(box)
	if err != nil {
		t.Fatal(err)
	}
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
	for about, c := range map[string]struct {
		end  func(*mortal)
		want string // in the cause; "" for an orderly end
	}{
		"a signal that asks for it": {func(m *mortal) { _ = m.Process.Signal(syscall.SIGTERM) }, ""},
		"an exit":                   {func(m *mortal) { m.say("exit") }, "unknown: it exited without Profiler.Stop"},
		"a crash in C":              {func(m *mortal) { m.say("crash") }, "signal 11 (segmentation fault)"},
	} {
		dir := t.TempDir()
		m := begin(t, dir)
		c.end(m)
		_ = m.Wait()
		found, log := run(dir, 10)
		if c.want == "" {
			if len(found) > 0 || strings.Contains(log, "WARN") {
				t.Errorf("%s: %+v, %s", about, found, log)
			}
		} else if len(found) != 1 || !strings.Contains(found[0].Cause, c.want) {
			t.Errorf("%s: %+v, %s", about, found, log)
		}
		if left := named(t, dir, "*.box*"); len(left) > 0 {
			t.Errorf("%s: %q are left", about, left)
		}
	}
}

// Each hinders no other, and none is looked at twice.
func TestWhatCannotBeRecovered(t *testing.T) {
	dir := t.TempDir()
	m := begin(t, dir)
	m.kill()
	good := named(t, dir, "*.box")[0]
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	version, full := bytes.Clone(whole), bytes.Clone(whole)
	version[layout.HeaderVersion]++
	full[layout.HeaderMissing] = 1
	for name, text := range map[string][]byte{"text": []byte("no box"), "version": version, "short": whole[:len(whole)/2], "full": full, "empty": nil} {
		if err := os.WriteFile(boxCalled(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link, fifo := boxCalled(dir, "link"), boxCalled(dir, "fifo")
	if err := errors.Join(os.Symlink(good, link), unix.Mkfifo(fifo, 0o600)); err != nil {
		t.Fatal(err)
	}
	left := []string{fifo, link}
	if os.Geteuid() == 0 {
		others := boxCalled(dir, "others")
		if err := errors.Join(os.WriteFile(others, whole, 0o600), os.Chown(others, 12345, 12345)); err != nil {
			t.Fatal(err)
		}
		left = append(left, others)
	}
	found, log := run(dir, 10)
	if len(found) != 1 || strings.Count(log, "set aside") != 3 || strings.Count(log, "left alone") != len(left) || strings.Count(log, "disk was full") != 1 {
		t.Errorf("%d found, %s", len(found), log)
	}
	if got := named(t, dir, "*.box"); strings.Join(got, "\n") != strings.Join(left, "\n") {
		t.Errorf("%q are left, want %q", got, left)
	}
	if aside := named(t, dir, "*.unreadable"); len(aside) != 3 {
		t.Errorf("%q", aside)
	}
	if _, log := run(dir, 10); strings.Contains(log, "set aside") {
		t.Errorf("again: %s", log)
	}
}

// writeSparse writes a file with a hole where the text ends in zeroes.
func writeSparse(path string, text []byte) error {
	return errors.Join(os.WriteFile(path, bytes.TrimRight(text, "\x00"), 0o600), os.Truncate(path, int64(len(text))))
}

// Those of a program beyond the bound are removed, the oldest, and so are dumps beyond it.
func TestAHundredBoxes(t *testing.T) {
	dir := t.TempDir()
	m := begin(t, dir)
	m.kill()
	first := named(t, dir, "*.box")[0]
	whole, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	started := func(n int) []byte { // another process's
		text := bytes.Clone(whole)
		text[layout.HeaderStarted] = byte(n)
		text[layout.HeaderStarted+1] = 1
		return text
	}
	for n := range 99 {
		path, when := boxCalled(dir, fmt.Sprint("host", n)), time.Now().Add(-time.Duration(n+1)*time.Minute)
		if err := errors.Join(writeSparse(path, started(n)), os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	found, log := run(dir, 5)
	if len(found) != 5 || len(named(t, dir, "*.box*")) != 0 || len(named(t, dir, "*.pb.gz")) != 5 || strings.Count(log, "there are newer ones") != 95 {
		t.Errorf("%d found, %d boxes, %d dumps: %.2000s", len(found), len(named(t, dir, "*.box*")), len(named(t, dir, "*.pb.gz")), log)
	}
	t.Logf("in %v", time.Since(begin))
}

// Another program in the same directory is another service, with other files.
func TestAnotherProgramsBoxStays(t *testing.T) {
	dir := t.TempDir()
	m := begin(t, dir)
	m.kill()
	box := named(t, dir, "*.box")[0]
	text, err := os.ReadFile(box)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.ReplaceAll(text, []byte("/"+filepath.Base(os.Args[0])+`"`), []byte("/"+strings.Repeat("x", len(filepath.Base(os.Args[0])))+`"`))
	if err := errors.Join(os.WriteFile(boxCalled(dir, "other"), other, 0o600), os.Rename(box, filepath.Join(dir, "cgoheap.other.host.1.a.box"))); err != nil {
		t.Fatal(err)
	}
	found, log := run(dir, 10)
	if left := named(t, dir, "*.box"); len(found) > 0 || len(left) != 2 || strings.Contains(log, "WARN") || !strings.Contains(log, "another program's") {
		t.Errorf("%+v, %q, %s", found, left, log)
	}
}

func TestStartRecoversAndTells(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
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
