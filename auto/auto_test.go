//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package auto

import (
	"errors"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// stopImported ends what the import of this package began, for tests that begin anew.
func stopImported(t *testing.T) {
	t.Helper()
	if p := Profiler(); p != nil {
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

// imported runs the named test in a process of its own with more variables, where the import works with them.
func imported(t *testing.T, variables ...string) (out string) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	command.Env = append(append(os.Environ(), "TEST_CGOHEAP_IMPORTED=1"), variables...)
	text, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, text)
	}
	return string(text)
}

func isImported() bool { return os.Getenv("TEST_CGOHEAP_IMPORTED") != "" }

func TestImportRecordsServesAndDumps(t *testing.T) {
	if !isImported() {
		imported(t, "CGOHEAP_DUMP_DIR="+t.TempDir())
		return
	}
	if Profiler() == nil {
		t.Fatal("nothing is recorded")
	}
	for path, method := range map[string]string{"/debug/pprof/cgoheap": http.MethodGet, "/debug/pprof/symbol": http.MethodPost, "/debug/pprof/cmdline": http.MethodGet,
		"/debug/cgoheap/account": http.MethodGet} {
		answer := httptest.NewRecorder()
		http.DefaultServeMux.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
		if answer.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	if _, err := profile.ParseData(firstDump(t)); err != nil {
		t.Error(err)
	}
}

// nobodyReads returns the end of a pipe that nobody reads any more.
func nobodyReads(t *testing.T) *os.File {
	t.Helper()
	read, write, err := os.Pipe()
	if err == nil {
		err = read.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { write.Close() })
	return write
}

func TestADumpWhoseReportNobodyReadsEndsNoProgram(t *testing.T) {
	if isImported() {
		for n := 1; n <= 3; n++ { // each follows the report of the one before
			if err := syscall.Kill(os.Getpid(), syscall.SIGUSR2); err != nil {
				t.Fatal(err)
			}
			for len(dumps()) < n {
				time.Sleep(10 * time.Millisecond)
			}
		}
		return
	}
	command := exec.Command(os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), "TEST_CGOHEAP_IMPORTED=1", "CGOHEAP_DUMP_DIR="+t.TempDir())
	command.Stderr = nobodyReads(t)
	if out, err := command.Output(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, out)
	}
}

func dumps() []string {
	found, _ := filepath.Glob(filepath.Join(os.Getenv("CGOHEAP_DUMP_DIR"), "*.cgoheap.pb.gz"))
	return found
}

func firstDump(t *testing.T) []byte {
	t.Helper()
	for range 60_000 { // ten minutes
		if found := dumps(); len(found) > 0 {
			data, err := os.ReadFile(found[0])
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("there is no dump")
	return nil
}

func TestImportDoesNothingWhenToldSo(t *testing.T) {
	if !isImported() {
		imported(t, "CGOHEAP=off")
		return
	}
	if Profiler() != nil {
		t.Error("it records")
	}
	p, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}

// own returns the lines that the import printed, without the lines of the test itself.
func own(out string) (lines []string) {
	for line := range strings.Lines(out) {
		if strings.Contains(line, "cgoheap") {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestImportPrintsNothingWhereAllIsWell(t *testing.T) {
	if isImported() {
		if Profiler() == nil {
			t.Error("nothing is recorded")
		}
		return
	}
	if lines := own(imported(t)); len(lines) > 0 {
		t.Errorf("%q", lines)
	}
	for level, want := range map[string]int{"debug": 1, "info": 0, "off": 0} {
		if lines := own(imported(t, "CGOHEAP_LOG="+level)); len(lines) != want {
			t.Errorf("CGOHEAP_LOG=%s: %q", level, lines)
		}
	}
	if lines := own(imported(t, "CGOHEAP_SIGNAL=KILL")); len(lines) != 1 || !strings.Contains(lines[0], "CGOHEAP_SIGNAL") {
		t.Errorf("an invalid variable: %q", lines)
	}
	if lines := own(imported(t, "CGOHEAP_SIGNAL=KILL", "CGOHEAP_LOG=error")); len(lines) > 0 {
		t.Errorf("a warning, where only errors are asked for: %q", lines)
	}
	if lines := own(imported(t, "CGOHEAP_LOG=loud")); len(lines) != 1 || !strings.Contains(lines[0], "CGOHEAP_LOG") {
		t.Errorf("a level that does not exist: %q", lines)
	}
}

func TestImportSurvivesVariablesThatMakeNoSense(t *testing.T) {
	if !isImported() {
		out := imported(t, "CGOHEAP_SAMPLE_BYTES=lots", "CGOHEAP_MAX_DEPTH=100000", "CGOHEAP_DUMP_DIR=/nowhere", "CGOHEAP_SIGNAL=KILL", "CGOHEAP_HIGH_CGROUP=80")
		for _, want := range []string{"CGOHEAP_SAMPLE_BYTES", "MaxDepth is 100000", "/nowhere", "CGOHEAP_SIGNAL", "CGOHEAP_HIGH_CGROUP"} {
			if !strings.Contains(out, want) {
				t.Errorf("nothing is said of %s:\n%s", want, out)
			}
		}
		return
	}
	if Profiler() == nil {
		t.Error("nothing is recorded")
	}
}

// An invalid variable does not affect the others.
func TestVariableThatIsRefusedLeavesTheOthers(t *testing.T) {
	stopImported(t)
	e, log := given(map[string]string{"CGOHEAP_SAMPLE_BYTES": "4KiB", "CGOHEAP_MAX_DEPTH": "1000000", "CGOHEAP_TABLE_BYTES": "1",
		"CGOHEAP_SIGNAL": "none", "CGOHEAP_SAMPEL_BYTES": "1"})
	mux := http.NewServeMux()
	p := start(e, mux)
	if p == nil {
		t.Fatal(log)
	}
	defer func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}()
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/debug/pprof/cgoheap", nil))
	if written, err := profile.Parse(answer.Body); err != nil || written.Period != 4096 {
		t.Errorf("%v, %v", written, err)
	}
	for _, want := range []string{"variable=CGOHEAP_MAX_DEPTH error=\"cgoheap: Config.MaxDepth is 1000000; it must be", "default=128",
		"variable=CGOHEAP_TABLE_BYTES error=\"cgoheap: Config.TableBytes is 1; it must be", "default=256MiB", "variable=CGOHEAP_SAMPEL_BYTES"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("nothing is said of %s:\n%s", want, log)
		}
	}
}

// This process has no control group with a limit, or one that is far from it.
func TestLevelThatCannotBeReadLeavesTheSignal(t *testing.T) {
	if _, err := usage.Running.Group(); err == nil {
		t.Skip("a control group limits the memory here")
	}
	stopImported(t)
	dir := t.TempDir()
	e, log := given(map[string]string{"CGOHEAP_HIGH_CGROUP": "80%", "CGOHEAP_HIGH_RSS": "1", "CGOHEAP_DUMP_DIR": dir})
	p := start(e, http.NewServeMux())
	if p == nil {
		t.Fatal(log)
	}
	defer func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}()
	if text := log.String(); !strings.Contains(text, "CGOHEAP_HIGH_CGROUP") || strings.Contains(text, "DumpConfig") {
		t.Error(log)
	}
	t.Setenv("CGOHEAP_DUMP_DIR", dir)
	firstDump(t)
}

// A window without a rate, or one that is too long, is reported, and the rest works.
func TestWindowThatIsRefusedLeavesTheOtherMarks(t *testing.T) {
	stopImported(t)
	for rate, want := range map[string]string{"": "but no rate is set", "1MiB": "it must be 0 or from 1m0s to 24h0m0s"} {
		dir := t.TempDir()
		e, log := given(map[string]string{"CGOHEAP_HIGH_RATE": rate, "CGOHEAP_HIGH_RATE_MINUTES": "5000", "CGOHEAP_HIGH_RSS": "1", "CGOHEAP_DUMP_DIR": dir})
		p := start(e, http.NewServeMux())
		if p == nil {
			t.Fatal(log)
		}
		if text := log.String(); !strings.Contains(text, "variable=CGOHEAP_HIGH_RATE_MINUTES") || !strings.Contains(text, want) || strings.Contains(text, "DumpConfig") {
			t.Error(text)
		}
		t.Setenv("CGOHEAP_DUMP_DIR", dir)
		firstDump(t)
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}
}

func TestVariablesReachTheProfiler(t *testing.T) {
	stopImported(t)
	dir := t.TempDir()
	e, log := given(map[string]string{"CGOHEAP_SAMPLE_BYTES": "4KiB", "CGOHEAP_SIGNAL": "none", "CGOHEAP_HIGH_RSS": "1", "CGOHEAP_DUMP_DIR": dir})
	mux := http.NewServeMux()
	p := start(e, mux)
	if p == nil {
		t.Fatal(log)
	}
	defer func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}()
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/debug/pprof/cgoheap", nil))
	written, err := profile.Parse(answer.Body)
	if err != nil || written.Period != 4096 {
		t.Errorf("%v, %v", written, err)
	}
	t.Setenv("CGOHEAP_DUMP_DIR", dir)
	firstDump(t)
	if p2 := start(e, mux); p2 != nil || !strings.Contains(log.String(), cgoheap.ErrRunning.Error()) {
		t.Errorf("a second one: %v %s", p2, log)
	}
}

func TestTakenPatternIsReported(t *testing.T) {
	stopImported(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/cgoheap", http.NotFound)
	e, log := given(map[string]string{"CGOHEAP_SIGNAL": "none"})
	p := start(e, mux)
	if p == nil || !strings.Contains(log.String(), "not served") {
		t.Fatal(log)
	}
	if err := p.Stop(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}
