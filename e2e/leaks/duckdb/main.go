// Command duckdb loses results of DuckDB.
package main

/*
#cgo CFLAGS: -Wall -O2 -g -I${SRCDIR}/../trial
*/
import "C"

import (
	_ "github.com/cgoheap/cgoheap/allocators/duckdb" // records its jemalloc
	"github.com/cgoheap/cgoheap/e2e/leaks/trial"
	_ "github.com/duckdb/duckdb-go/v2" // the DuckDB that is called
)

func main() { trial.Main() }
