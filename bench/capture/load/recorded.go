//go:build !without

package main

import (
	"io"

	"github.com/cgoheap/cgoheap"
)

// recording is empty if nothing is recorded.
type recording struct {
	profiler *cgoheap.Profiler
	sample   int64
}

func record(sample int64, box string) (recording, error) {
	if sample == 0 {
		return recording{}, nil
	}
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: sample, BlackBox: box})
	return recording{p, sample}, err
}

func (r recording) Stop() error {
	if r.profiler == nil {
		return nil
	}
	return r.profiler.Stop()
}

// dump writes a profile and throws it away.
func (r recording) dump() error { return r.profiler.Write(io.Discard, cgoheap.Selection{}) }

// tableBytes returns the bytes that the tables have handed out.
func (r recording) tableBytes() uint64 {
	if r.profiler == nil {
		return 0
	}
	return r.profiler.Stats().Value("table_bytes")
}

// sampled returns an error if the recording has too few samples for that many blocks of this mean size.
func (r recording) sampled(blocks int, size float64) error {
	if r.profiler == nil {
		return nil
	}
	return tooFew(r.profiler.Stats().Value("samples"), r.sample, blocks, size)
}
