package main

import (
	"bytes"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap"
	_ "github.com/cgoheap/cgoheap/allocators/duckdb"
	"github.com/cgoheap/cgoheap/internal/malloc"
	"github.com/google/pprof/profile"
)

// inUse returns the bytes in use whose stacks lead from DuckDB into Go.
func inUse(t *testing.T, p *cgoheap.Profiler) (bytes int64) {
	t.Helper()
	for _, s := range take(t, p).Sample {
		if through(s, "duckdb::") && through(s, "github.com/duckdb/") {
			bytes += s.Value[3]
		}
	}
	return bytes
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

func take(t *testing.T, p *cgoheap.Profiler) *profile.Profile {
	t.Helper()
	var written bytes.Buffer
	if err := p.WriteProfile(&written); err != nil {
		t.Fatal(err)
	}
	parsed, err := profile.Parse(&written)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// said returns what DuckDB itself counts.
func said(t *testing.T, db *sql.DB) (bytes int64) {
	t.Helper()
	if err := db.QueryRow("select sum(memory_usage_bytes)::bigint from duckdb_memory()").Scan(&bytes); err != nil {
		t.Fatal(err)
	}
	return bytes
}

// ofDuckDB returns what DuckDB's allocator says of itself.
func ofDuckDB(t *testing.T) malloc.Kept {
	t.Helper()
	for _, k := range malloc.Read(time.Second) {
		if strings.Contains(k.Name, "duckdb_je_") && k.HasFigures {
			return k
		}
	}
	t.Fatal("nobody knows it")
	return malloc.Kept{}
}

// DuckDB counts its buffers and tables; beside those, the profile has what DuckDB does not count.
func TestDuckDBsAllocatorIsSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Stop() }()
	db, err := sql.Open("duckdb", "?threads=1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec("create table t as select i, random() as r, 'name' || i as s from range(3000000) t(i)"); err != nil {
		t.Fatal(err)
	}
	want := said(t, db)
	got := inUse(t, p)
	t.Logf("duckdb_memory() says %d bytes; in use, with stacks into Go, are %d", want, got)
	kept := ofDuckDB(t)
	if n := int64(kept.InUse); n < want*95/100 || n > got {
		t.Errorf("in use are %d bytes, jemalloc says %d", got, n)
	}
	if want < 50<<20 || got < want*95/100 || got > want*11/10 {
		t.Errorf("in use are %d bytes, duckdb_memory() says %d", got, want)
	}
}
