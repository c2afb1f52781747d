package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"

	"github.com/cgoheap/cgoheap/examples/leaky/flame"
)

var residentLine = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`)

// usage returns the question that a profile of native memory answers: how much the process holds, and how much of it Go knows.
func (s *server) usage(ctx context.Context) (string, error) {
	resident, err := s.resident()
	if err != nil {
		return "", err
	}
	goHeap, err := s.goHeap(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("RSS is %s, and Go's heap is %s of it. Who holds the rest?",
		flame.FormatBytes(resident), flame.FormatBytes(goHeap)), nil
}

func (s *server) resident() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("reading the service's RSS: %w", err)
	}
	match := residentLine.FindSubmatch(status)
	if match == nil {
		return 0, fmt.Errorf("reading the service's RSS: no VmRSS in its status")
	}
	kib, err := strconv.ParseInt(string(match[1]), 10, 64)
	return kib << 10, err
}

func (s *server) goHeap(ctx context.Context) (int64, error) {
	answer, err := s.get(ctx, "/debug/vars")
	if err != nil {
		return 0, fmt.Errorf("asking for Go's heap: %w", err)
	}
	var vars struct{ Memstats struct{ HeapInuse int64 } }
	err = json.Unmarshal(answer, &vars)
	return vars.Memstats.HeapInuse, err
}
