package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

var instants = []string{"any", "start", "stop", "dump", "two"}

// victim is a running service, whose truth is known.
type victim struct {
	*exec.Cmd
	*truth
	output bytes.Buffer
}

// begin starts a service with a truth of its own.
func begin(boxes, truthName string) (*victim, error) {
	path := filepath.Join(boxes, truthName)
	t, err := mapTruth(path)
	if err != nil {
		return nil, err
	}
	v := &victim{Cmd: exec.Command(os.Args[0], "-serve", path, "-dir", boxes), truth: t}
	v.Stdout, v.Stderr = &v.output, &v.output
	return v, v.Start()
}

// end kills the service.
func (v *victim) end() error {
	killed := v.Process.Kill()
	if err := v.Wait(); killed != nil || v.output.Len() > 0 {
		return fmt.Errorf("the service ended by itself: %w, %w\n%s", err, killed, v.output.String())
	}
	return nil
}

// patience is how long to wait for what only a program that hangs does not do.
const patience = 10 * time.Minute

// await looks at the truth until it is as wished. It looks all the time: some of the instants are short.
func (v *victim) await(is func() bool) error {
	for begin := time.Now(); !is(); {
		if time.Since(begin) > patience {
			return fmt.Errorf("the service does not come to what shall be killed: it is in phase %d\n%s", now(v.truth), v.output.String())
		}
	}
	return nil
}

// longest are how long what shall be killed may last, roughly.
const (
	longestStart = 15 * time.Millisecond
	longestStop  = 3 * time.Millisecond
	longestDump  = 80 * time.Millisecond
)

// one kills one service.
func (k *killer) one(boxes, instant string, c *counts) error {
	v, err := begin(boxes, "truth")
	if err != nil {
		return err
	}
	if err := k.wait(v, instant); err != nil {
		_ = v.Process.Kill()
		return err
	}
	if err := v.end(); err != nil {
		return err
	}
	return k.judge(boxes, []*truth{v.truth}, c)
}

// wait waits for an instant.
func (k *killer) wait(v *victim, instant string) (err error) {
	after := k.below(4 * stormFor)
	switch instant {
	case "start":
		err, after = k.awaitStart(v), k.below(longestStart)
	case "stop":
		err, after = v.await(func() bool { return now(v.truth) == stopping }), k.below(longestStop)
	case "dump":
		time.Sleep(k.below(2 * stormFor))
		if err = v.await(func() bool { return now(v.truth) == recording }); err == nil {
			err = v.Process.Signal(unix.SIGUSR2)
		}
		if err == nil {
			err = v.await(func() bool { return writes(v.truth) })
		}
		after = k.below(longestDump)
	}
	spin(after)
	return err
}

// awaitStart waits for the process's first start, or for a later one, which finds what the process knows already.
func (k *killer) awaitStart(v *victim) error {
	if k.random.IntN(2) == 0 {
		if err := v.await(func() bool { return now(v.truth) == recording }); err != nil {
			return err
		}
	}
	return v.await(func() bool { return now(v.truth) == starting })
}

func (k *killer) below(limit time.Duration) time.Duration {
	return time.Duration(k.random.Int64N(int64(limit)))
}

// spin waits without a sleep where that is short.
func spin(d time.Duration) {
	begin := time.Now()
	if d > 10*time.Millisecond {
		time.Sleep(d - time.Millisecond)
	}
	for time.Since(begin) < d {
		runtime.Gosched()
	}
}

// two kills two services that share a directory, one after the other. What both have left is judged then: the second may have
// recovered what the first left, or may be killed while it does.
func (k *killer) two(boxes string, c *counts) error {
	first, err := begin(boxes, "truth1")
	if err != nil {
		return err
	}
	second, err := begin(boxes, "truth2")
	if err != nil {
		return err
	}
	spin(k.below(4 * stormFor))
	if err := first.end(); err != nil {
		_ = second.Process.Kill()
		return err
	}
	spin(k.below(10 * stormFor)) // the second recovers the first's box when it next starts
	if err := second.end(); err != nil {
		return err
	}
	return k.judge(boxes, []*truth{first.truth, second.truth}, c)
}
