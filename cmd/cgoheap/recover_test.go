//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

const boxOfRecorded = "CGOHEAP_TEST_BOX"

// leaked is what a process that is killed has in use, in one block.
const leaked = 1_000_003

// TestTheProcessThatIsKilled is the other process.
func TestTheProcessThatIsKilled(t *testing.T) {
	dir := os.Getenv(boxOfRecorded)
	if dir == "" {
		return // for a process of its own, which runs this test alone
	}
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1, TableBytes: 8 << 20, BlackBox: dir})
	if err != nil {
		t.Fatal(err)
	}
	profiletest.Leak(leaked)
	profiletest.Garbage(leaked)
	os.Stdout.WriteString("recorded\n")
	time.Sleep(time.Hour)
	_ = p.Stop()
}

// recorded starts a process that records into a box in a directory. kill sends it a signal, and waits for its end if that ends it.
func recorded(t *testing.T, dir string) (box string, kill func(syscall.Signal)) {
	t.Helper()
	before, err := blackbox.Names(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], "-test.run=^TestTheProcessThatIsKilled$", "-test.count=1")
	c.Env = append(os.Environ(), boxOfRecorded+"="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func(s syscall.Signal) {
		_ = c.Process.Signal(s)
		if s == syscall.SIGKILL {
			_ = c.Wait()
		}
	}
	t.Cleanup(func() { kill(syscall.SIGKILL) })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "recorded\n" {
		t.Fatalf("%q, %v", line, err)
	}
	now, err := blackbox.Names(dir)
	if err != nil || len(now) != len(before)+1 {
		t.Fatal(now, err)
	}
	for _, path := range now {
		if !strings.Contains(strings.Join(before, "\n"), path) {
			box = path
		}
	}
	return box, kill
}

func killed(t *testing.T, dir string) (box string) {
	t.Helper()
	box, kill := recorded(t, dir)
	kill(syscall.SIGKILL)
	return box
}

// ran runs recover.
func ran(arguments ...string) (code int, out, trouble string) {
	var o, e strings.Builder
	code = run(append([]string{"recover"}, arguments...), nil, &o, &e)
	return code, o.String(), e.String()
}

func profileOf(box string) string { return strings.TrimSuffix(box, ".box") + ".pb.gz" }

// leakIn returns what a profile has of profiletest.Leak, after a check of it all.
func leakIn(t *testing.T, path string) [4]int64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if faults, err := check.Profile(f); len(faults) > 0 || err != nil {
		t.Errorf("%v, %v", faults, err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return profiletest.Sum(profiletest.Through(p, "Leak"))
}

func TestTheBoxOfAKilledProcessBecomesAProfile(t *testing.T) {
	box := killed(t, toolchain.Memory(t))
	code, out, trouble := ran(box)
	if code != exitGood || trouble != "" || !strings.HasPrefix(out, profileOf(box)+": ") || !strings.Contains(out, ", process ") || strings.Count(out, "\n") != 3 {
		t.Fatalf("exit code %d, %q, %q", code, out, trouble)
	}
	if got, want := leakIn(t, profileOf(box)), [4]int64{1, leaked, 1, leaked}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if !exists(box) {
		t.Error("the box is gone")
	}
	var story struct {
		PID     int
		Cause   string
		Verdict []string
	}
	text, err := os.ReadFile(strings.TrimSuffix(box, ".box") + ".json")
	if err != nil || json.Unmarshal(text, &story) != nil || story.PID == 0 || story.Cause == "" || !strings.Contains(out, strings.Join(story.Verdict, "\n  ")) {
		t.Errorf("%v, %s", err, text)
	}
	if info, err := os.Stat(profileOf(box)); err != nil || info.Mode() != 0o600 {
		t.Error(info, err)
	}
}

func TestAProfileThatIsThereAlreadyStays(t *testing.T) {
	box := killed(t, toolchain.Memory(t))
	if err := os.WriteFile(profileOf(box), []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, trouble := ran("-rm", box)
	if code != exitUnreadable || out != "" || !strings.Contains(trouble, profileOf(box)+": file exists") {
		t.Errorf("exit code %d, %q, %q", code, out, trouble)
	}
	if text, err := os.ReadFile(profileOf(box)); string(text) != "another" || err != nil || !exists(box) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestADirectoryToWriteToThatIsMissing(t *testing.T) {
	box, missing := killed(t, toolchain.Memory(t)), filepath.Join(t.TempDir(), "missing")
	for _, named := range []string{box, filepath.Dir(box)} {
		code, out, trouble := ran("-rm", "-o", missing, named)
		if code != exitUnreadable || out != "" || !strings.Contains(trouble, box+": open "+missing) || !exists(box) {
			t.Errorf("%s: exit code %d, %q, %q", named, code, out, trouble)
		}
	}
}

func TestADirectoryOfBoxes(t *testing.T) {
	dir, to := toolchain.Memory(t), t.TempDir()
	living, _ := recorded(t, dir) // the first, because the others look for some seconds whether its box is left
	one, kill := recorded(t, dir)
	other, killOther := recorded(t, dir)
	kill(syscall.SIGSTOP) // or one might recover the other's box
	killOther(syscall.SIGSTOP)
	kill(syscall.SIGKILL)
	killOther(syscall.SIGKILL)
	code, out, trouble := ran("-rm", "-o", to, dir)
	if code != exitGood || trouble != "" || strings.Count(out, "\n") != 7 || !strings.Contains(out, living+": "+blackbox.ErrAlive.Error()) {
		t.Fatalf("exit code %d, %q, %q", code, out, trouble)
	}
	for _, box := range []string{one, other} {
		if got := leakIn(t, filepath.Join(to, filepath.Base(profileOf(box)))); got[3] != leaked {
			t.Errorf("%v", got)
		}
		if exists(box) {
			t.Errorf("%s is still there", box)
		}
	}
	if !exists(living) {
		t.Error("the box of the living process is gone")
	}
	code, out, trouble = ran(living)
	if code != exitUnreadable || out != "" || trouble != "cgoheap recover: "+living+": "+blackbox.ErrAlive.Error()+"\n" {
		t.Errorf("exit code %d, %q, %q", code, out, trouble)
	}
}

func TestViewsOfABox(t *testing.T) {
	box := killed(t, toolchain.Memory(t))
	for view, want := range map[string][4]int64{"inuse": {1, leaked, 1, leaked}, "peak": {0, 0, 1, leaked}, "age": {0, 0, 1, leaked}, "shortlived": {}} {
		to := t.TempDir()
		code, out, trouble := ran("-view", view, "-o", to, box)
		if code != exitGood {
			t.Fatalf("%s: exit code %d, %q, %q", view, code, out, trouble)
		}
		got := leakIn(t, filepath.Join(to, filepath.Base(profileOf(box))))
		if view == "peak" || view == "age" { // they have other columns
			got = [4]int64{0, 0, got[0], got[1]}
		}
		if got != want {
			t.Errorf("%s: %v, want %v", view, got, want)
		}
	}
}

// Those that cannot be recovered hinder no other, and each is named.
func TestBoxesThatCannotBeRecoveredSayWhy(t *testing.T) {
	dir := toolchain.Memory(t)
	good := killed(t, dir)
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	version := append([]byte(nil), whole...)
	version[layout.HeaderVersion]++
	says := map[string]string{}
	for name, c := range map[string]struct {
		text []byte
		says string
	}{
		"cgoheap.empty.1.a.box":   {nil, "before it began to record"},
		"cgoheap.zero.1.a.box":    {make([]byte, 8<<20), "before it began to record"},
		"cgoheap.text.1.a.box":    {[]byte("this is no black box"), "it is not a black box"},
		"cgoheap.version.1.a.box": {version, "theirs are version"},
		"cgoheap.short.1.a.box":   {whole[:4<<20], "cut short"},
	} {
		says[name] = c.says
		if err := os.WriteFile(filepath.Join(dir, name), c.text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	says["cgoheap.link.1.a.box"], says["cgoheap.fifo.1.a.box"] = "not a regular file", "not a regular file"
	if err := errors.Join(os.Symlink(good, filepath.Join(dir, "cgoheap.link.1.a.box")), unix.Mkfifo(filepath.Join(dir, "cgoheap.fifo.1.a.box"), 0o600)); err != nil {
		t.Fatal(err)
	}
	code, out, trouble := ran(dir)
	if code != exitUnreadable || !strings.HasPrefix(out, profileOf(good)) || strings.Count(out, "\n") != 3 {
		t.Errorf("exit code %d, %q", code, out)
	}
	lines := strings.Split(strings.TrimSpace(trouble), "\n")
	if len(lines) != len(says) {
		t.Errorf("%q", lines)
	}
	for name, sentence := range says {
		path := filepath.Join(dir, name)
		for _, line := range lines {
			if strings.Contains(line, path) && (!strings.Contains(line, sentence) || strings.Count(line, path) != 1) {
				t.Errorf("%s: %q", name, line)
			}
		}
		if !strings.Contains(trouble, path) || exists(profileOf(path)) || !exists(path) {
			t.Errorf("%s: %q", name, trouble)
		}
	}
}

func TestRootRecoversTheBoxOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	box := killed(t, toolchain.Memory(t))
	if err := os.Chown(box, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if code, out, trouble := ran(box); code != exitGood || leakIn(t, profileOf(box))[3] != leaked {
		t.Errorf("exit code %d, %q, %q", code, out, trouble)
	}
}

func TestWhatRecoverCannotDo(t *testing.T) {
	empty, missing := t.TempDir(), filepath.Join(t.TempDir(), "missing")
	for says, arguments := range map[string][]string{
		"a black box or a directory is needed": nil,
		"there is no black box in " + empty:    {empty},
		missing + ": no such file":             {missing},
		`there is no view "growth"`:            {"-view", "growth", empty},
		"there is no view rss of a process":    {"-view", "rss", empty},
		"flag provided but not defined":        {"-all"},
	} {
		if code, out, trouble := ran(arguments...); code != exitUnreadable || out != "" || !strings.Contains(trouble, says) {
			t.Errorf("%v: exit code %d, %q, %q", arguments, code, out, trouble)
		}
	}
	if code, out, _ := ran("-h"); code != exitGood || !strings.Contains(out, "usage: cgoheap recover ") {
		t.Errorf("exit code %d, %q", code, out)
	}
}

func TestWhatWasRecoveredAsJSON(t *testing.T) {
	box := killed(t, toolchain.Memory(t))
	code, out, trouble := ran(filepath.Dir(box), "-json")
	var got struct {
		Box, Profile, Cause string
		PID                 int
		Verdict             []string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitGood || got.Box != box || got.Profile != profileOf(box) || got.PID == 0 ||
		got.Cause == "" || len(got.Verdict) != 3 || strings.Contains(out, "timeline") {
		t.Errorf("exit code %d, %v, %q, %q", code, err, out, trouble)
	}
}
