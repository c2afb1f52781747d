package remote

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A thread that stops just when a signal arrives takes it when it goes on. Each signal is answered before the next is sent: a
// queue of them is short where the user has others waiting, and then the kernel makes one signal of two.
func TestNoSignalIsLostWhileAProcessIsRead(t *testing.T) {
	pid, answer := answering(t)
	done := make(chan error, 1)
	go func() {
		for n := range 3000 {
			if err := errors.Join(unix.Kill(pid, unix.SIGUSR1), answer()); err != nil {
				done <- fmt.Errorf("signal %d was not answered: %w", n, err)
				return
			}
		}
		done <- nil
	}()
	for reads, sending := 0, true; sending || reads < 20; reads++ {
		resume, err := stop(fmt.Sprintf("/proc/%d", pid))
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
}

// Between the order to stop and the stop, a thread often meets a signal: here always.
func TestASignalThatStopsAThreadIsDelivered(t *testing.T) {
	pid, answer := answering(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	dir := fmt.Sprintf("/proc/%d", pid)
	for range 100 {
		if err := errors.Join(unix.PtraceSeize(pid), unix.Tgkill(pid, pid, unix.SIGUSR1)); err != nil {
			t.Fatal(err)
		}
		h := &held{thread: pid}
		if err := h.await(dir); err != nil {
			t.Fatal(err)
		}
		if h.signal != unix.SIGUSR1 {
			t.Fatalf("it stopped for %v", h.signal)
		}
		h.release()
		if err := answer(); err != nil {
			t.Fatal("the signal was not answered: ", err)
		}
	}
}

// answering starts a process, and returns a function that waits for its next answer to a signal.
func answering(t *testing.T) (pid int, answer func() error) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "signals")
	if out, err := exec.Command("gcc", "-O1", "-pthread", "-o", program, "testdata/signals.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	answers, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answers.Close() })
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
	t.Cleanup(func() {
		in.Close()
		if t.Failed() {
			_ = c.Process.Kill() // it may be stopped
		}
		if err := c.Wait(); err != nil && !t.Failed() {
			t.Error(err)
		}
	})
	answer = func() error {
		return errors.Join(answers.SetReadDeadline(time.Now().Add(10*time.Minute)), one(answers))
	}
	if err := answer(); err != nil {
		t.Fatal(err)
	}
	return c.Process.Pid, answer
}

// one reads a byte.
func one(from *os.File) error {
	_, err := from.Read(make([]byte, 1))
	return err
}
