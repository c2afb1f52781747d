// Command duckdb keeps a table of DuckDB in memory, and sorts, groups and joins it on several threads. DuckDB allocates with a
// jemalloc of its own, which package allocators/duckdb records.
package main

import (
	"context"
	"database/sql"
	"fmt"

	_ "github.com/cgoheap/cgoheap/allocators/duckdb" // records its jemalloc
	"github.com/cgoheap/cgoheap/e2e/rss/audit"
	_ "github.com/duckdb/duckdb-go/v2" // the driver
)

const threads = 2

var (
	database    *sql.DB
	connections [threads]*sql.Conn
)

func main() {
	audit.Main(audit.Load{Threads: threads, Warm: 1, Prepare: prepare, Round: round, Check: check})
}

func prepare() (err error) {
	if database, err = sql.Open("duckdb", "?memory_limit=400MB"); err != nil {
		return err
	}
	for i := range connections {
		if connections[i], err = database.Conn(context.Background()); err != nil {
			return err
		}
	}
	return execute(connections[0],
		"set threads = 1", // so that the table is made on this thread, and its stacks lead into Go
		"create table t as select i, i % 97 as k, random() as r, 'name' || i as s from range(3000000) t(i)",
		"set threads = 2")
}

func round(thread int) error {
	return execute(connections[thread],
		"select k, count(*), sum(r), max(s) from t group by k order by 2",
		fmt.Sprintf("create or replace temp table u%d as select i, s from t where r < 0.05 order by s", thread),
		fmt.Sprintf("select count(*) from t join u%d using (i) where t.s like '%%9'", thread),
		"select s, row_number() over (partition by k order by r) from t where i < 100000 order by 2 desc limit 10")
}

func execute(c *sql.Conn, statements ...string) error {
	for _, s := range statements {
		rows, err := c.QueryContext(context.Background(), s)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		for rows.Next() {
		}
		if err := rows.Close(); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}
