package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

// check compares what is in use, on stacks that lead from DuckDB into Go, with what DuckDB itself counts. Temporary tables are
// dropped first: DuckDB makes them on threads of its own, whose stacks begin there. Their memory, which is free then, must not be
// said to be mapped directly, because DuckDB's allocator has it.
func check() (string, error) {
	for i, c := range connections {
		if err := execute(c, fmt.Sprintf("drop table u%d", i)); err != nil {
			return "", err
		}
	}
	var counted int64
	if err := database.QueryRow("select sum(memory_usage_bytes)::bigint from duckdb_memory()").Scan(&counted); err != nil {
		return "", err
	}
	inUse, err := bytesOf(cgoheap.Selection{}, "duckdb::", "github.com/duckdb/")
	if err != nil {
		return "", err
	}
	if counted < 50<<20 || inUse < counted/100*95 {
		return "", fmt.Errorf("in use are %d bytes with stacks into Go, less than 95 %% of the %d that duckdb_memory() has", inUse, counted)
	}
	mapped, err := bytesOf(cgoheap.Selection{View: cgoheap.ViewRSS()}, "duckdb_je_pages_map")
	if err != nil {
		return "", err
	}
	if mapped > counted/100 {
		return "", fmt.Errorf("%d bytes of the allocator count as mapped directly", mapped)
	}
	return fmt.Sprintf("in use, with stacks into Go, are %.1f %% of what duckdb_memory() has", 100*float64(inUse)/float64(counted)), nil
}

// bytesOf returns the bytes in use of a profile's stacks that have functions with all of these prefixes.
func bytesOf(selected cgoheap.Selection, prefixes ...string) (bytesInUse int64, err error) {
	var written bytes.Buffer
	if err := audit.Profiler().Write(&written, selected); err != nil {
		return 0, err
	}
	parsed, err := profile.Parse(&written)
	if err != nil {
		return 0, err
	}
	for _, s := range parsed.Sample {
		if !slices.ContainsFunc(prefixes, func(prefix string) bool { return !through(s, prefix) }) {
			bytesInUse += s.Value[len(s.Value)-1]
		}
	}
	return bytesInUse, nil
}

func through(s *profile.Sample, prefix string) bool {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if strings.HasPrefix(line.Function.Name, prefix) {
				return true
			}
		}
	}
	return false
}
