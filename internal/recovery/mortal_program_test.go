//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package recovery_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/recovery"
	"github.com/cgoheap/cgoheap/internal/victim"
)

const (
	boxes  = "CGOHEAP_TEST_BOXES"
	leaked = 3_000_017
)

var kept []byte

// keepInGo allocates once: a second block, however small, is sampled now and then, and then counts as 512 KiB.
//
//go:noinline
func keepInGo(bytes int) { kept = make([]byte, bytes) }

// TestTheProcessThatDies is the other process. It ends as its input says, or is killed.
func TestTheProcessThatDies(t *testing.T) {
	dir := os.Getenv(boxes)
	if dir == "" {
		return // for a process of its own, which runs this test alone
	}
	keepInGo(8 << 20)
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1, TableBytes: 16 << 20, BlackBox: dir})
	if err != nil {
		t.Fatal(err)
	}
	profiletest.Leak(leaked)
	awaitRecords(t, p, 1)
	os.Stdout.WriteString("recorded\n")
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	how, core := strings.CutSuffix(lines.Text(), " for a core")
	if core {
		debug.SetTraceback("crash")
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // as if it were written
	}
	switch how {
	case "exit":
		os.Exit(0)
	case "hang":
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM) // and nobody listens
		began := make(chan bool)
		go func() {
			close(began)
			for { //nolint:revive,staticcheck // nothing can stop it
			}
		}()
		<-began
		os.Stdout.WriteString("hangs\n")
		runtime.GC() // waits for it, and everybody else for this
	case "crash":
		victim.Crash()
	case "abort":
		_ = syscall.Kill(os.Getpid(), syscall.SIGABRT)
	case "quit":
		_ = syscall.Kill(os.Getpid(), syscall.SIGQUIT)
	case "abort after requests":
		survive()
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGQUIT)
		for range 2 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGQUIT)
			<-asked
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGABRT)
	case "fault":
		survive()
		awaitRecords(t, p, 2)
		os.Stdout.WriteString("survived\n")
	}
	select {}
}

// awaitRecords waits until n seconds more are in the timeline, each of which began after the call.
func awaitRecords(t *testing.T, p *cgoheap.Profiler, n int) {
	t.Helper()
	seconds := func() int {
		w := httptest.NewRecorder()
		p.PagesHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/debug/cgoheap/timeline", nil))
		var got struct{ Seconds [][]*int64 }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
		return len(got.Seconds)
	}
	for enough := seconds() + 1 + n; seconds() < enough; {
		time.Sleep(20 * time.Millisecond)
	}
}

// survive reads where no memory is, as Go programs may: the runtime makes a panic of it.
func survive() {
	defer func() { _ = recover() }()
	var nowhere *[2]int
	fmt.Print(nowhere[1])
}

// mortal is the process.
type mortal struct {
	*exec.Cmd
	say func(string)
	out *bufio.Reader
	dir string // of its box
}

func begin(t *testing.T, dir string) *mortal {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestTheProcessThatDies$", "-test.count=1")
	c.Env = append(os.Environ(), boxes+"="+dir, "GODEBUG=asyncpreemptoff=1")
	in, inErr := c.StdinPipe()
	out, outErr := c.StdoutPipe()
	if err := errors.Join(inErr, outErr, c.Start()); err != nil {
		t.Fatal(err)
	}
	m := &mortal{c, func(line string) { _, _ = in.Write([]byte(line + "\n")) }, bufio.NewReader(out), dir}
	t.Cleanup(m.kill)
	if line, err := m.out.ReadString('\n'); line != "recorded\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return m
}

func (m *mortal) kill() {
	_ = m.Process.Kill()
	_ = m.Wait()
}

// causeNow returns what the only box of the directory would say if the process ended now; "" if the process writes there just now.
func (m *mortal) causeNow(t *testing.T) string {
	t.Helper()
	file, err := os.Open(named(t, m.dir, "*.box")[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	e, err := recovery.Open(file)
	if err != nil {
		return ""
	}
	defer e.Close()
	return e.Story().Cause
}

// dead returns the box of a process that was killed, and what is in it.
func dead(t *testing.T, dir string) (path string, text []byte) {
	t.Helper()
	begin(t, dir).kill()
	path = named(t, dir, "*.box")[0]
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, text
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

// long skips a test that takes seconds.
func long(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
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
