//go:build unix

package main

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody writes to, and a standard input that stays open, do not make the command deaf to signals.
func TestASignalEndsTheReading(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	in, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer held.Close()
	for _, arguments := range [][]string{{"top", pipe}, {"view", "-no-browser", pipe}, {"top", "-"}, {"view", "-no-browser", "-"}} {
		// It is sent until it is heard: before the command listens, the test does.
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, syscall.SIGTERM)
		ended := make(chan int)
		go func() { ended <- run(arguments, in, io.Discard, io.Discard) }()
		for code := -1; code < 0; {
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			select {
			case code = <-ended:
				if code != exitUnreadable {
					t.Errorf("%q: exit code %d", arguments, code)
				}
				<-heard // otherwise it may reach a later test, or nobody, and end the process
			case <-heard:
				time.Sleep(10 * time.Millisecond)
			}
		}
		signal.Stop(heard)
	}
}
