// Command sqlite keeps databases in memory, one for each thread, and writes, sorts and deletes in them.
package main

import (
	"context"
	"database/sql"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
	_ "github.com/mattn/go-sqlite3" // the driver
)

const threads = 4

var databases [threads]*sql.Conn

func main() { audit.Main(audit.Load{Threads: threads, Warm: 5, Prepare: prepare, Round: round}) }

func prepare() error {
	for i := range databases {
		db, err := sql.Open("sqlite3", ":memory:")
		if err != nil {
			return err
		}
		if databases[i], err = db.Conn(context.Background()); err != nil {
			return err
		}
		err = execute(databases[i],
			"create table t (i integer primary key, k integer, s text, b blob)",
			"create index x on t (k, s)",
			"with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000) "+
				"insert into t select i, i % 97, 'name ' || (i * 7919), randomblob(200) from n")
		if err != nil {
			return err
		}
	}
	return nil
}

func round(thread int) error {
	return execute(databases[thread],
		"insert into t (k, s, b) select k + 1, s || '!', randomblob(300) from t where k = abs(random()) % 97",
		"create temp table sorted as select s, count(*) as n from t where k < 20 group by s order by 2 desc, 1",
		"drop table sorted",
		"delete from t where i > 60000 and i % 3 = 0",
		"update t set b = randomblob(200 + i % 50) where k = abs(random()) % 97",
		"delete from t where i > 64000")
}

func execute(c *sql.Conn, statements ...string) error {
	for _, s := range statements {
		if _, err := c.ExecContext(context.Background(), s); err != nil {
			return err
		}
	}
	return nil
}
