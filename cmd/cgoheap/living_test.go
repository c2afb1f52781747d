//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// living starts a program that holds 1,000,003 bytes until the test ends, as cgoheap run does, and returns its box.
func living(t *testing.T, program string, settle bool) (box string) {
	t.Helper()
	r := &running{sample: 1, children: "none", settle: settle, tables: forRuns(t)}
	dir := must(t)(r.makeDirectory())
	path, library, err := r.find(&streams{progress: os.Stderr}, program)
	if err != nil {
		t.Fatal(err)
	}
	c := &exec.Cmd{Path: path, Args: []string{path, "wait"}, Env: r.environment(library, dir, nil)}
	in := waiting(t, c)
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), c.Wait()); err != nil {
			t.Error(err)
		}
	})
	boxes, err := blackbox.Names(dir)
	if err != nil || len(boxes) != 1 {
		t.Fatal(boxes, err)
	}
	return boxes[0]
}

func TestTheBoxOfALivingProgramIsRead(t *testing.T) {
	box := living(t, program(t), true)
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		code, out, trouble := ranWith(t, "", "dump", "-json", "-o", "first.pb.gz", box)
		var d dumped
		if code == exitGood && inUseBy(parsed(t, "first.pb.gz"), "hold_block") == 0 && os.Remove("first.pb.gz") == nil {
			continue // it was settled before that
		}
		if code == exitGood {
			if err := json.Unmarshal([]byte(out), &d); err != nil || !d.Living || d.StoodSeconds != 0 || d.Program != program(t) || !d.Time.After(d.Started) {
				t.Errorf("%v, %q", err, out)
			}
			break
		}
		if !strings.Contains(trouble, box) || !strings.Contains(trouble, "has not settled its tables yet") || time.Now().After(end) {
			t.Fatal(trouble)
		}
	}
	file, err := os.Open(box) // a box may have no other path than that of a descriptor
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	descriptor := fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	for _, name := range []string{box, descriptor} {
		code, out, trouble := ranWith(t, "", "dump", name)
		want := "cgoheap." + strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "cgoheap."), ".box") + ".pb.gz"
		if code != exitGood || !strings.HasPrefix(out, want+": what "+program(t)) || !strings.Contains(out, "when it last settled its tables; it lives, or somebody else has its box locked") ||
			inUseBy(parsed(t, want), "hold_block") != 1_000_003 {
			t.Errorf("exit code %d, %q, %q", code, out, trouble)
		}
		next := strings.TrimSuffix(want, ".pb.gz") + "-2.pb.gz"
		if code, out, trouble := ranWith(t, "", "dump", name); code != exitGood || !strings.HasPrefix(out, next+": what ") {
			t.Errorf("exit code %d, %q, %q", code, out, trouble)
		}
		if code, _, trouble := ranWith(t, "", "dump", "-o", next, name); code != exitUnreadable || !strings.Contains(trouble, next+": file exists") {
			t.Errorf("exit code %d, %q", code, trouble)
		}
		if code, out, trouble := ranTop(name); code != exitGood || !strings.HasPrefix(out, "in use ") || !strings.Contains(out, "hold_block\n") || strings.Contains(out, "how it ended") {
			t.Errorf("exit code %d, %q, %q", code, out, trouble)
		}
		if code, out, trouble := ranWith(t, "", "diff", "first.pb.gz", name); code != exitGood || !strings.Contains(out, "0 B  total\n") {
			t.Errorf("exit code %d, %q, %q", code, out, trouble)
		}
	}
	for view, says := range map[string]string{"peak": "cgoheap dump -view peak ", "age": "cgoheap dump -view age ", "rss": "no view rss of a process that is gone, nor of a core file or a black box"} {
		for _, command := range []string{"dump", "view"} {
			if code, _, trouble := ranWith(t, "", command, "-view", view, box); code != exitUnreadable || !strings.Contains(trouble, says) {
				t.Errorf("%s -view %s: exit code %d, %q", command, view, code, trouble)
			}
		}
	}
	h := opened(t, box, nil)
	a := askedJSON[page.About](t, h, "/about")
	if len(a.Ended) != 0 || !strings.Contains(a.Of, "which lives, as of 20") || !slices.ContainsFunc(a.Views, func(v page.View) bool { return v.Name == "allocated" }) {
		t.Errorf("%+v", a)
	}
	for _, v := range a.Views {
		if got := asked(h, http.MethodGet, "/profile?view="+v.Name); got.Code != http.StatusOK {
			t.Errorf("%s: %d, %s", v.Name, got.Code, got.Body)
		}
	}
}

func TestTheBoxOfALivingProgramThatDoesNotSettle(t *testing.T) {
	box := living(t, program(t), false)
	for _, command := range []string{"dump", "top", "view"} {
		if code, out, trouble := ranWith(t, "", command, box); code != exitUnreadable || out != "" || !strings.Contains(trouble, box) || !strings.Contains(trouble, "with -settle only") {
			t.Errorf("%s: exit code %d, %q, %q", command, code, out, trouble)
		}
	}
}

// A container has other files than the reader.
func TestFilesOfABoxBelowAnotherRoot(t *testing.T) {
	root, path := t.TempDir(), filepath.Join(t.TempDir(), "only in the container")
	text, err := os.ReadFile(program(t))
	if err == nil {
		err = os.WriteFile(path, text, 0o700) //nolint:gosec // it is run
	}
	if err != nil {
		t.Fatal(err)
	}
	box := living(t, path, true)
	if err := errors.Join(os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o700), os.Rename(path, filepath.Join(root, path))); err != nil {
		t.Fatal(err)
	}
	named := func(arguments ...string) int64 {
		_ = os.Remove("p.pb.gz")
		if code, _, _ := ranWith(t, "", append([]string{"dump", "-o", "p.pb.gz", box}, arguments...)...); code != exitGood {
			return -1
		}
		return inUseBy(parsed(t, "p.pb.gz"), "hold_block")
	}
	for end := time.Now().Add(time.Minute); named("-root", root) != 1_000_003; time.Sleep(100 * time.Millisecond) { // it is settled each second
		if time.Now().After(end) {
			t.Fatal("the program is not found below the root")
		}
	}
	if n := named(); n != 0 {
		t.Errorf("%d bytes have a name, without the file", n)
	}
	if code, out, trouble := ranTop("-root", root, box); code != exitGood || !strings.Contains(out, "hold_block") {
		t.Errorf("exit code %d, %q, %q", code, out, trouble)
	}
	if code, _, trouble := ranWith(t, "", "dump", "-root", root, "1"); code != exitUnreadable || !strings.Contains(trouble, "-root is for a black box or a core file") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
}

// On a terminal, the program is shown while it runs, and the terminal is as before then.
func TestAProgramIsShownWhileItRuns(t *testing.T) {
	tables := forRuns(t)
	keys, screen := terminals(t)
	if err := unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100}); err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 1)
	end, told, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		var all strings.Builder
		for b := make([]byte, 4096); ; {
			n, err := keys.Read(b)
			all.Write(b[:n])
			if strings.Contains(all.String(), "hold_block") && told != nil {
				told.Close() // the program may end
				told = nil
			}
			if err != nil || strings.Contains(all.String(), "the profile is p.pb.gz") {
				seen <- all.String()
				return
			}
		}
	}()
	code := run([]string{"run", "-live", "-exact", "-tables", tables, "-o", "p.pb.gz", program(t), "wait"}, end, screen, screen)
	text := <-seen
	if code != 0 || strings.Count(text, "\x1b[1;") == 0 || strings.LastIndex(text, "\x1b[r") < strings.LastIndex(text, "\x1b[1;") ||
		!strings.Contains(text, "in use ") || strings.Contains(text, "q ends") {
		t.Errorf("exit code %d, %q", code, text)
	}
	if strings.Index(text, "cgoheap: "+program(t)) < strings.LastIndex(text, "\x1b[r") {
		t.Errorf("the summary is above: %q", text)
	}
	if code, _, trouble := ranProgram(t, "-live", program(t), "good"); code != 0 || strings.Contains(trouble, "\x1b") {
		t.Errorf("without a terminal: exit code %d, %q", code, trouble)
	}
}

// A shell gets the whole terminal back when a key has stopped the command, and however the program ended.
func TestATerminalIsWholeWhenTheProgramIsNotShown(t *testing.T) {
	command := must(t)(workshop.Make("command", func(path string) error {
		return toolchain.Tool{Words: []string{"go", "build", "-o", path, "."}}.Run()
	}))
	tables := forRuns(t)
	keys, screen := terminals(t)
	resize := func(rows uint16) {
		if err := unix.IoctlSetWinsize(int(keys.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: 100}); err != nil {
			t.Fatal(err)
		}
	}
	resize(40)
	const script = `set -m; "$@"; echo "back $?"; read line; fg; echo "ended $?"`
	c := exec.Command("sh", "-c", script, "sh", command, "run", "-live", "-exact", "-tables", tables, program(t), "wait")
	c.Stdin, c.Stdout, c.Stderr, c.SysProcAttr = screen, screen, screen, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	regions := regexp.MustCompile(`\x1b\[(\d+;\d+)?r`)
	text := ""
	until := func(reached func() bool) {
		t.Helper()
		text = ""
		for b := make([]byte, 4096); !reached(); {
			n, err := keys.Read(b)
			if err != nil {
				t.Fatalf("%v after %q", err, text)
			}
			text += string(b[:n])
		}
	}
	said := func(what string) func() bool { return func() bool { return strings.Contains(text, what) } }
	whole := func() bool {
		all := regions.FindAllString(text, -1)
		return len(all) > 0 && all[len(all)-1] == "\x1b[r"
	}
	until(said("hold_block"))
	if _, err := keys.WriteString("\x1a"); err != nil { // Ctrl-Z
		t.Fatal(err)
	}
	until(said("back 148\r\n"))
	if !whole() {
		t.Errorf("stopped: %q", text)
	}
	if _, err := keys.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	until(said("hold_block"))
	resize(6)
	until(func() bool { return whole() && strings.HasSuffix(text, "\x1b[J\x1b8") })
	resize(40)
	until(said("hold_block"))
	group, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPGRP)
	if err != nil {
		t.Fatal(err)
	}
	processes, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		if pid, err := strconv.Atoi(p.Name()); err == nil && pid != group {
			if of, err := unix.Getpgid(pid); err == nil && of == group { // the program
				_ = unix.Kill(pid, unix.SIGKILL)
			}
		}
	}
	until(said("ended 137\r\n"))
	if !whole() || strings.Index(text, "cgoheap: ") < strings.LastIndex(text, "\x1b[r") {
		t.Errorf("ended: %q", text)
	}
	_ = c.Wait()
}

// terminals returns both ends of a terminal.
func terminals(t *testing.T) (keys, screen *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	number, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	return keys, screen
}

// A service with a black box is read as it was when its tables were last settled.
func TestALookAtALivingServicesBox(t *testing.T) {
	box, kill := recorded(t, toolchain.Memory(t))
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		code, out, trouble := ranTop("-json", box)
		var l overview
		if code == exitGood {
			if err := json.Unmarshal([]byte(out), &l); err != nil || l.Total != "in use" || len(l.Suspects) != 0 || l.Time.After(time.Now()) {
				t.Errorf("%v, %q, %q", err, out, trouble)
			}
			break
		}
		if !strings.Contains(trouble, "has not settled its tables yet") || time.Now().After(end) {
			t.Fatal(trouble)
		}
	}
	kill(syscall.SIGKILL)
}
