package sqlite

/*
#include "walk.h"
extern void victim_walk_both(void); // of package victim
*/
import "C"

import "github.com/cgoheap/cgoheap/internal/victim"

// Callers are the functions of SQLite that call back into code which walks the stack, by name. They panic when SQLite
// reports an error.
var Callers = map[string]func(){
	"sqlite3_exec's row":   func() { must(C.walked_from_exec((*[0]byte)(C.victim_walk_both))) },
	"a function in SQL":    func() { must(C.walked_from_function((*[0]byte)(C.victim_walk_both))) },
	"a trace in a trigger": func() { must(C.walked_from_trace((*[0]byte)(C.victim_walk_both))) },
	"a collation":          func() { must(C.walked_from_collation((*[0]byte)(C.victim_walk_both))) },
}

var _ = victim.WalkBoth // links victim_walk_both

func must(code C.int) {
	if code != 0 {
		panic("SQLite reports an error")
	}
}
