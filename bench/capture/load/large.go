package main

// #include "large.h"
import "C"

import "fmt"

// That many of the blocks certainly have this size.
const zeroed, zeroedBytes = 10_000, 64 << 20

// large prints what work with large and aligned blocks takes.
func large() {
	var found [C.LARGES]C.struct_found
	C.large_run(&found[0])
	for _, f := range found {
		fmt.Printf("%.3f %.3f\n", float64(f.wall), float64(f.cpu))
	}
}
