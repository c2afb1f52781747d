package pprof

import (
	"bytes"
	"io"
	"runtime"
	"testing"
)

// compressorBytes is how much of Go's heap a new compressor may take. It is in memory during a dump, which is bounded as a
// whole.
const compressorBytes = 1 << 20

func TestTheFastCompressorTakesLittleMemory(t *testing.T) {
	message := bytes.Repeat([]byte("a record of a profile resembles the one before it"), 100_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := newSink(io.Discard, FastGzip)
	if err != nil {
		t.Fatal(err)
	}
	for rest := message; len(rest) > 0; rest = rest[min(flushBytes, len(rest)):] {
		if err := s.write(rest[:min(flushBytes, len(rest))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > compressorBytes {
		t.Errorf("%d bytes allocated, want at most %d", took, compressorBytes)
	} else {
		t.Logf("%d bytes allocated", took)
	}
}
