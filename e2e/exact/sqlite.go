package main

import (
	"context"
	"database/sql/driver"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/cgoheap/cgoheap/e2e/sqlite"
	"github.com/cgoheap/cgoheap/internal/victim"
)

const sqlitePackage = "github.com/cgoheap/cgoheap/e2e/sqlite."

// A database is open for one visit. Its phases are summed up at the end of the tour, when it is known what stayed allocated:
// frees belong to the phase that allocated. It is kept until then, because otherwise a finalizer would close its statements.
type database struct {
	visit      *visit
	connection *sqlite3.SQLiteConn
	statements []driver.Stmt
	sums       []func()
}

// sqlite does what a service does, and with keep forgets to close its statements and the connection.
func (v *visit) sqlite() {
	db := &database{visit: v}
	db.phase("main.(*database).open", db.open)
	db.phase("main.(*database).fill", db.fill)
	db.phase("main.(*database).read", db.read)
	db.phase("main.(*database).callGo", db.callGo)
	if !v.tour.keep {
		db.phase("main.(*database).close", db.close)
	}
	v.tour.leave(db)
}

// leave keeps a database that its visit no longer needs.
func (t *tour) leave(db *database) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.databases = append(t.databases, db)
}

// sum adds up what the databases allocated.
func (t *tour) sum() {
	for _, db := range t.databases {
		for _, sum := range db.sums {
			sum()
		}
	}
}

// phase runs a part of the work, the function with that name.
//
//go:noinline
func (db *database) phase(name string, work func()) {
	phase := sqlite.NewPhase()
	phase.During(work)
	db.sums = append(db.sums, func() {
		stack := frames(name, sqlitePackage+"Phase.During", "main.(*database).phase", "main.(*visit).sqlite")
		db.visit.add(frames("counted_malloc", stack), phase.Mallocs())
		db.visit.add(frames("counted_realloc", stack), phase.Reallocs())
	})
}

//go:noinline
func (db *database) open() {
	sqliteDriver := &sqlite3.SQLiteDriver{}
	connection, err := sqliteDriver.Open(":memory:")
	must(err)
	db.connection = connection.(*sqlite3.SQLiteConn)
	must(db.connection.RegisterFunc("allocate_in_go", db.visit.allocateInGo, false))
}

//go:noinline
func (db *database) fill() {
	_, err := db.connection.Exec(`create table t(id integer primary key, name text, body blob);
		create index by_name on t(name);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
		insert into t select i, 'name ' || (i * 7919 % 500), zeroblob(i % 90) from n`, nil)
	must(err)
}

// read leaves its statements open.
//
//go:noinline
func (db *database) read() {
	for range db.visit.count {
		statement, err := db.connection.Prepare(`select name, group_concat(hex(body)), count(*) from t
			where name like ? group by length(body) order by 2 desc, 1`)
		must(err)
		db.statements = append(db.statements, statement)
		rows, err := statement.(driver.StmtQueryContext).QueryContext(context.Background(),
			[]driver.NamedValue{{Ordinal: 1, Value: "name 1%"}})
		must(err)
		row := make([]driver.Value, 3)
		must(rows.Next(row))
		must(rows.Close())
	}
}

// callGo runs a query that calls a Go function, which allocates in C.
//
//go:noinline
func (db *database) callGo() {
	_, err := db.connection.Exec("select sum(allocate_in_go(id)) from t where id <= ?", []driver.Value{int64(db.visit.count)})
	must(err)
}

//go:noinline
func (db *database) close() {
	for _, statement := range db.statements {
		must(statement.Close())
	}
	must(db.connection.Close())
}

// allocateInGo is a function in SQL: malloc, C, Go, SQLite, Go.
func (v *visit) allocateInGo(id int64) int64 {
	stack := frames(direct("victim_malloc", "Malloc"), "main.(*visit).allocateInGo", "main.(*database).callGo",
		sqlitePackage+"Phase.During", "main.(*database).phase", "main.(*visit).sqlite")
	block := victim.Malloc(144)
	v.allocated(stack, 144)
	if !v.keeps(int(id)) {
		victim.Free(block)
		v.freed(stack, 144)
	}
	return id
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
