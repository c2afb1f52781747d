package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const (
	servicePackage = "github.com/cgoheap/cgoheap/examples/leaky"
	patience       = 30 * time.Second // for a service to start or to dump
)

// server is the service as a process.
type server struct {
	url   string
	dumps string
	log   bytes.Buffer
	cmd   *exec.Cmd
}

func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "leaky")
	output, err := exec.CommandContext(ctx, "go", "build", "-ldflags=-compressdwarf=false", "-o", binary, servicePackage).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the service: %w\n%s", err, output)
	}
	return binary, nil
}

// start runs the service on a free port and waits until it answers. The caller owes a stop.
func start(ctx context.Context, binary string, sampleBytes int) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &server{url: "http://" + address, dumps: filepath.Dir(binary)}
	s.cmd = exec.CommandContext(ctx, binary,
		"-listen", address, "-dumps", s.dumps, "-sample-bytes", strconv.Itoa(sampleBytes))
	s.cmd.Stderr = &s.log
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the service: %w", err)
	}
	err = waitFor(ctx, "an answer of the service", func() bool {
		answer, err := http.Get(s.url + "/healthz")
		return err == nil && answer.Body.Close() == nil
	})
	if err != nil {
		return nil, s.stop(err)
	}
	return s, nil
}

// freeAddress is a loopback address that nothing listens on.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
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
