package remote

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A thread that stops just when a signal arrives takes it when it goes on. Each signal is answered before the next is sent: a
// queue of them is short where the user has others waiting, and then the kernel makes one signal of two.
func TestNoSignalIsLostWhileAProcessIsRead(t *testing.T) {
	program := filepath.Join(t.TempDir(), "signals")
	if out, err := exec.Command("gcc", "-O1", "-pthread", "-o", program, "testdata/signals.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	answers, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Close()
	c := exec.Command(program)
	c.Stdout = out
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = c.Start()
	out.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill() }()
	answer := func() error {
		return errors.Join(answers.SetReadDeadline(time.Now().Add(time.Minute)), one(answers))
	}
	if err := answer(); err != nil {
		t.Fatal(err)
	}

	done := make(chan error, 1)
	go func() {
		for n := range 3000 {
			if err := errors.Join(unix.Kill(c.Process.Pid, unix.SIGUSR1), answer()); err != nil {
				done <- fmt.Errorf("signal %d: %w", n, err)
				return
			}
		}
		done <- nil
	}()
	reads := 0
	for sending := true; sending; reads++ {
		resume, err := stop(fmt.Sprintf("/proc/%d", c.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		resume()
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			sending = false
		default:
		}
	}
	if reads < 20 {
		t.Errorf("the process was read %d times only", reads)
	}
	in.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// one reads a byte.
func one(from *os.File) error {
	_, err := from.Read(make([]byte, 1))
	return err
}
