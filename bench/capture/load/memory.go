package main

// #include "hold.h"
import "C"

import (
	"fmt"

	"github.com/cgoheap/cgoheap/internal/usage"
)

// heldBytes is the size of the smallest block that stays.
const heldBytes = 16

func hold(blocks, stacks, depth int) { C.hold(C.long(blocks), C.long(stacks), C.long(depth)) }

// memory prints the bytes by which the process grows when it holds these blocks, and the bytes that the tables have handed out.
func memory(r recording, blocks, stacks, depth int) error {
	before, err := usage.Running.RSS()
	if err != nil {
		return err
	}
	given := r.tableBytes()
	hold(blocks, stacks, depth)
	after, err := usage.Running.RSS()
	if err != nil {
		return err
	}
	fmt.Println(after-before, r.tableBytes()-given)
	return nil
}
