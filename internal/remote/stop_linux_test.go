package remote

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A thread that stops just when a signal arrives takes it when it goes on. Signals in real time queue up, so each one counts.
func TestNoSignalIsLostWhileAProcessIsRead(t *testing.T) {
	program := filepath.Join(t.TempDir(), "signals")
	if out, err := exec.Command("gcc", "-O1", "-pthread", "-o", program, "testdata/signals.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.Command(program)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill() }()
	out := bufio.NewReader(pipe)
	if _, err := out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	const signalOfLibc = 34 // SIGRTMIN, of which glibc keeps two for itself
	done, sent := make(chan bool), 0
	go func() {
		defer close(done)
		for range 3000 {
			if unix.Kill(c.Process.Pid, signalOfLibc) == nil { // else its queue is full
				sent++
			}
		}
	}()
	reads := 0
	for sending := true; sending || reads < 20; reads++ {
		resume, err := stop(fmt.Sprintf("/proc/%d", c.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		resume()
		select {
		case <-done:
			sending = false
		default:
		}
	}
	counted := -1
	for deadline := time.Now().Add(10 * time.Minute); counted != sent && time.Now().Before(deadline); { // the last may be on their way
		if _, err := fmt.Fprint(in, "?"); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fscanln(out, &counted); err != nil {
			t.Fatal(err)
		}
	}
	if counted != sent || sent == 0 {
		t.Errorf("%d signals, of which %d arrived", sent, counted)
	}
	in.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}
