package page

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A busy machine is slow, but only what hangs takes so long.
const patience = 10 * time.Minute

// build builds a program of the tree in a folder.
func build(t *testing.T, dir, into string) string {
	t.Helper()
	program := filepath.Join(into, filepath.Base(dir))
	command := exec.Command("go", "build", "-o", program, ".")
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", dir, err, out)
	}
	return program
}

// serve starts a program and returns its address, which the program logs when it listens. The caller must end it.
func serve(t *testing.T, program string, arguments ...string) (url string, end func()) {
	t.Helper()
	command := exec.Command(program, arguments...)
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}
	for lines := bufio.NewReader(log); ; {
		line, err := lines.ReadString('\n')
		fmt.Fprint(os.Stderr, line)
		if _, address, found := strings.Cut(strings.TrimSpace(line), " serves address="); found {
			go func() { _, _ = io.Copy(os.Stderr, lines) }()
			return "http://" + address, end
		}
		if err != nil {
			end()
			t.Fatalf("%s ends before it serves: %v", program, err)
		}
	}
}

// leaky returns the address of the example, which the first test that asks starts and makes leak.
func leaky(t *testing.T) string {
	t.Helper()
	needsBrowser(t)
	shared.startLeaky.Do(func() {
		dir, err := os.MkdirTemp("", "page")
		if err != nil {
			t.Fatal(err)
		}
		boxes, err := os.MkdirTemp("/dev/shm", "page")
		if err != nil {
			t.Fatal(err)
		}
		shared.atEnd = append(shared.atEnd, func() { _ = errors.Join(os.RemoveAll(dir), os.RemoveAll(boxes)) })
		url, end := serve(t, build(t, "../../examples/leaky", dir), "-listen", "127.0.0.1:0", "-sample-bytes", "1", "-blackbox", boxes)
		shared.atEnd = append(shared.atEnd, end)
		visit(t, url, 0)
		suspected(t, url, "handleReport")
		shared.leaky = url
	})
	if shared.leaky == "" {
		t.Fatal("the example did not start")
	}
	return shared.leaky
}

// suspected waits until a function is in the stack of a suspect with two moments: the first is before the visits, or amid them
// where the service begins slowly, and the next is 14 s after it.
func suspected(t *testing.T, url, function string) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(time.Second) {
		var list []struct {
			Moments int
			Stack   []string
		}
		text := get(t, url+"/debug/cgoheap/suspects?format=json")
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		for _, s := range list {
			if s.Moments > 1 && strings.Contains(strings.Join(s.Stack, " "), function) {
				return
			}
		}
	}
	t.Fatalf("%s is not suspected", function)
}

// visit makes the service leak: most in the handler of reports.
func visit(t *testing.T, url string, first int) {
	t.Helper()
	for n := range 150 {
		get(t, fmt.Sprintf("%s/report?customer=7&after=%d", url, first+n))
		get(t, fmt.Sprintf("%s/thumbnail?photo=%d&width=16&visit=%d", url, n%5, first+n))
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s, %v", url, answer.Status, body, err)
	}
	return string(body)
}
