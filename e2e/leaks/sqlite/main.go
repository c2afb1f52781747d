// Command sqlite loses connections of SQLite, in C, and in Go objects that become garbage unclosed.
package main

/*
#cgo CFLAGS: -Wall -O2 -g -I${SRCDIR}/../trial
#include "sqlite.h"
*/
import "C"

import (
	"github.com/cgoheap/cgoheap/e2e/leaks/trial"
	_ "github.com/mattn/go-sqlite3" // the SQLite that is called
)

func main() { trial.Main(trial.Case{Name: "sqlite_connection_of_go", Run: connections}) }

// connectionBytes is about what a connection takes.
const connectionBytes = 1 << 18

type connection struct{ db *C.struct_sqlite3 }

var open []*connection

func connections() {
	C.without_own_block()
	for range trial.Number(connectionBytes) {
		open = append(open, &connection{C.kept_connection_of_go()})
	}
	unclosed()
	trial.Held("kept_connection_of_go", "Go's heap|block allocated in ")
}

// unclosed loses connections. They have stale words to each other in memory that SQLite does not clear, so that one word to one of them,
// such as Go's own, holds them all: in one process of three.
//
//go:noinline
func unclosed() {
	var list []*connection
	for range trial.Number(connectionBytes) {
		list = append(list, &connection{C.linked_connection_of_go()})
	}
	clear(list)
}
