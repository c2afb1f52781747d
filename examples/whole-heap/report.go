package main

import (
	"fmt"
	"io"
	"os"

	"github.com/google/pprof/profile"
)

// report prints what each heap holds, and how to see more of it.
func report(path string, out io.Writer) error {
	p, err := read(path)
	if err != nil {
		return err
	}
	var whole int64
	fmt.Fprintf(out, "%10s  in use\n", "heap")
	for _, heap := range []string{"go", "native"} {
		bytes := inUse(p, heap)
		whole += bytes
		fmt.Fprintf(out, "%10s  %5.1f MiB\n", heap, mebibytes(bytes))
	}
	fmt.Fprintf(out, "%10s  %5.1f MiB\n\n", "both", mebibytes(whole))
	fmt.Fprintf(out, "One flame graph of it:\n  go tool pprof -symbolize=none -tagroot=heap -http=: %s\n", path)
	fmt.Fprintf(out, "One half of it:\n  go tool pprof -symbolize=none -tagfocus=heap=go -top %s\n", path)
	return nil
}

func read(path string) (*profile.Profile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return profile.Parse(file)
}

// inUse is the sum of the last column, which is inuse_space.
func inUse(p *profile.Profile, heap string) (bytes int64) {
	for _, s := range p.Sample {
		if s.HasLabel("heap", heap) {
			bytes += s.Value[len(s.Value)-1]
		}
	}
	return bytes
}

func mebibytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }
