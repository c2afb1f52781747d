package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	servicePackage = "github.com/cgoheap/cgoheap/examples/leaky"
	patience       = 10 * time.Minute // which only a service that hangs takes to start, to dump or to end
)

// server is the service as a process.
type server struct {
	url   string
	dumps string
	cmd   *exec.Cmd

	log    bytes.Buffer
	logged chan struct{} // closed when log is complete
}

func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "leaky")
	output, err := exec.CommandContext(ctx, "go", "build", "-ldflags=-compressdwarf=false", "-o", binary, servicePackage).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the service: %w\n%s", err, output)
	}
	return binary, nil
}

// start runs the service, which logs its address when it listens. The caller owes a stop.
func start(ctx context.Context, binary string, arguments ...string) (*server, error) {
	s := &server{dumps: filepath.Dir(binary), logged: make(chan struct{})}
	s.cmd = exec.CommandContext(ctx, binary, append(arguments, "-dumps", s.dumps)...)
	log, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the service: %w", err)
	}
	kill := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	lines := bufio.NewReader(log)
	for s.url == "" {
		line, err := lines.ReadString('\n')
		s.log.WriteString(line)
		if err != nil {
			close(s.logged)
			return nil, s.stop(fmt.Errorf("the service ended before it served: %w", cmp.Or(ctx.Err(), err)))
		}
		if _, address, found := strings.Cut(strings.TrimSpace(line), " serves address="); found {
			s.url = "http://" + address
		}
	}
	go func() {
		_, _ = io.Copy(&s.log, lines)
		close(s.logged)
	}()
	return s, nil
}

// dump asks for a profile by signal and returns its path. A dump is renamed when it is complete.
func (s *server) dump(ctx context.Context) (string, error) {
	if err := s.cmd.Process.Signal(syscall.SIGUSR2); err != nil {
		return "", fmt.Errorf("sending SIGUSR2: %w", err)
	}
	var dumps []string
	err := waitFor(ctx, "a profile in "+s.dumps, func() bool {
		dumps, _ = filepath.Glob(filepath.Join(s.dumps, "leaky.*.pb.gz"))
		return len(dumps) > 0
	})
	if err != nil {
		return "", err
	}
	return dumps[0], nil
}

// stop ends the service. If it fails, or something failed before, the service's log is part of the error.
func (s *server) stop(before error) error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // an error means that it ended by itself, and Wait says how
	kill := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	<-s.logged
	err := errors.Join(before, s.cmd.Wait())
	if err != nil {
		return fmt.Errorf("%w\nthe service's log:\n%s", err, &s.log)
	}
	return nil
}

func waitFor(ctx context.Context, what string, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !done() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}
