package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/cgoheap/cgoheap/internal/usage"
)

// watch prints the cost of f: by how much the resident memory rises, at most and afterwards, Go's garbage and the time.
func watch(name string, f func() error) error {
	var before, after runtime.MemStats
	resident, err := usage.Running.ResetPeak()
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&before)
	start := time.Now()
	if err := f(); err != nil {
		return err
	}
	took := time.Since(start)
	highest, err := usage.Running.Peak()
	if err != nil {
		return err
	}
	now, err := usage.Running.RSS()
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	fmt.Printf("%-14s %6d ms  peak +%.1f MiB, after %+.1f MiB of %.1f MiB; Go's heap %+.1f MiB, allocated %.1f MiB\n", name, took.Milliseconds(),
		mib(highest-resident), mib(now-resident), mib(resident), mib(heldBy(&after)-heldBy(&before)), mib(int64(after.TotalAlloc-before.TotalAlloc)))
	return nil
}

// heldBy returns what of Go's heap has not been returned to the kernel.
func heldBy(m *runtime.MemStats) int64 { return int64(m.HeapSys - m.HeapReleased) }

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
