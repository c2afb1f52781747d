package servers

import (
	"bytes"
	"cmp"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A process is a program that serves on loopback for one test, and its log. It ends with the test, or with the whole run if
// the run is killed.
type process struct {
	name    string
	url     string // http://127.0.0.1:port
	command []string
	ready   string // the path that answers once it serves
	status  int    // what it answers there then; 0 means 200
	log     string // all its output, over all its starts
	running *exec.Cmd
	exited  chan struct{}
}

// launch starts a program and waits until it serves.
func launch(t *testing.T, p *process) {
	t.Helper()
	p.log = filepath.Join(t.TempDir(), p.name+".log")
	t.Cleanup(func() {
		p.end(syscall.SIGKILL)
		if t.Failed() {
			t.Logf("%s: %q printed at last:\n%s", p.name, p.command, p.logTail())
		}
	})
	p.start(t)
}

// start starts it, for the first time or again. It dies with the thread that started it, and that thread lives as long as
// the test's process, because Go ends no thread that is not locked.
func (p *process) start(t *testing.T) {
	t.Helper()
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p.running = exec.Command(p.command[0], p.command[1:]...)
	p.running.Dir = filepath.Dir(p.log)
	p.running.Stdout, p.running.Stderr = out, out
	p.running.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.running.Start(); err != nil {
		t.Fatal(err)
	}
	p.exited = make(chan struct{})
	go func() {
		_ = p.running.Wait()
		close(p.exited)
	}()
	p.awaitReady(t)
}

const patience = 10 * time.Minute // a busy machine is slow, but only a program that hangs takes so long

func (p *process) awaitReady(t *testing.T) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(100 * time.Millisecond) {
		select {
		case <-p.exited:
			t.Fatalf("%s ended at once: %v", p.name, p.running.ProcessState)
		default:
		}
		answer, err := http.Get(p.url + p.ready)
		if err != nil {
			continue
		}
		answer.Body.Close()
		if answer.StatusCode == cmp.Or(p.status, http.StatusOK) {
			return
		}
	}
	t.Fatalf("%s does not answer %s", p.name, p.url+p.ready)
}

// end sends the signal, then SIGKILL if the program does not end, and waits for it.
func (p *process) end(signal syscall.Signal) {
	if p.running == nil || p.running.Process == nil {
		return
	}
	_ = p.running.Process.Signal(signal)
	select {
	case <-p.exited:
	case <-time.After(patience):
		_ = p.running.Process.Kill()
		<-p.exited
	}
}

func (p *process) logTail() string {
	const lines = 40
	data, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	all := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	return string(bytes.Join(all[max(0, len(all)-lines):], []byte("\n")))
}
