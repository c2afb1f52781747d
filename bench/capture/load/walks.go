package main

// #include "walks.h"
import "C"

import "fmt"

// walk prints the time of each way to walk a stack.
func walk(depth, walks int) {
	var found [C.WALKERS]C.struct_found
	C.walks_run(C.long(depth), C.long(walks), &found[0])
	for _, f := range found {
		fmt.Printf("%.3f %.3f\n", float64(f.wall), float64(f.cpu))
	}
}
