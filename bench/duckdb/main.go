// Command duckdb measures the time and memory of a dump in a program with DuckDB linked in, which has 50 MB of code, and C++
// names:
//
//	cd bench/duckdb && go run . -sample 1 -stacks 20000
//
// It prints, for the start, the first profile and the second, by how much the resident memory rose at its highest moment and
// how much of that stayed, by how much Go's heap grew and what was allocated there, and how long it took. DuckDB may free memory
// of its own meanwhile, which hides what stays; Go's heap does not have that. It is a module of its own: DuckDB's library has
// 80 MB.
package main

/*
#include "many.h"
*/
import "C"

import (
	"database/sql"
	"flag"
	"fmt"
	"io"
	"log"
	"runtime/debug"

	"github.com/cgoheap/cgoheap"
	_ "github.com/duckdb/duckdb-go/v2"
)

var (
	sample = flag.Int64("sample", 512<<10, "mean bytes between samples")
	stacks = flag.Int("stacks", 0, "stacks of generated code, beside DuckDB's")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	var p *cgoheap.Profiler
	err := watch("start", func() (err error) {
		p, err = cgoheap.Start(cgoheap.Config{SampleBytes: *sample})
		return err
	})
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop() }()
	db, err := sql.Open("duckdb", "?threads=2&memory_limit=200MB")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := work(db); err != nil {
		return err
	}
	C.many_stacks(C.int(*stacks))
	debug.FreeOSMemory() // so that what profiles leave does not find room in the heap
	for _, name := range []string{"first profile", "second profile"} {
		if err := watch(name, func() error { return p.WriteProfile(io.Discard) }); err != nil {
			return err
		}
	}
	return nil
}

// The queries use many parts of DuckDB, so that the profile has many names.
var queries = []string{
	"create table t as select i, i%7 as k, 'name'||i as s, random() as r from range(100000) t(i)",
	"select k, count(*), sum(r), string_agg(s, ',') from t where i < 2000 group by k order by k",
	"select a.k, max(b.s) from t a join t b on a.i = b.i group by 1 order by 2",
	"select regexp_replace(s, 'n(.)', '\\1'), row_number() over (partition by k order by r) from t order by 2 desc limit 10",
	"create index x on t(i)",
	"select json_object('a', k, 'b', list(s)) from t where i < 100 group by k",
	"with recursive c(n) as (select 1 union all select n + 1 from c where n < 50) select sum(n) from c",
	"select * from (pivot (select k, r from t) on k using sum(r))",
	"delete from t where i % 3 = 0",
	"update t set s = upper(s) where k = 2",
	"explain analyze select quantile_cont(r, 0.5), approx_count_distinct(s) from t",
}

func work(db *sql.DB) error {
	for _, query := range queries {
		rows, err := db.Query(query)
		if err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
		for rows.Next() {
		}
		if err := rows.Close(); err != nil {
			return err
		}
	}
	return nil
}
