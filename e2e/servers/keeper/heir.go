package main

import (
	"context"
	"os"

	"github.com/cgoheap/cgoheap"
)

// heir is a profiler that has recovered a profile of a process that died, if there is one.
type heir struct {
	*cgoheap.Profiler
	path string
}

// Recovered returns the profile after those that the profiler has recovered itself.
func (h *heir) Recovered(ctx context.Context) ([]cgoheap.Recovered, error) {
	list, err := h.Profiler.Recovered(ctx)
	if err != nil || h.path == "" {
		return list, err
	}
	file, err := os.Stat(h.path)
	if err != nil {
		return list, err
	}
	return append(list, cgoheap.Recovered{Path: h.path, Ended: file.ModTime()}), nil
}
