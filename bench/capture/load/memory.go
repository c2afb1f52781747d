//go:build linux

package main

// #include "hold.h"
import "C"

import (
	"bytes"
	"fmt"
	"os"
)

// heldBytes are those of the smallest block that stays.
const heldBytes = 16

func hold(blocks, stacks, depth int) { C.hold(C.long(blocks), C.long(stacks), C.long(depth)) }

// memory prints the bytes by which the process grows when it holds these blocks, and those that the tables gave away.
func memory(r recording, blocks, stacks, depth int) error {
	before, err := status("VmRSS")
	if err != nil {
		return err
	}
	given := r.tableBytes()
	hold(blocks, stacks, depth)
	after, err := status("VmRSS")
	if err != nil {
		return err
	}
	fmt.Println(after-before, r.tableBytes()-given)
	return nil
}

// resetPeak makes the kernel count the peak anew, and is the bytes now in memory.
func resetPeak() (int64, error) {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, err
	}
	return status("VmRSS")
}

// status is a line of the kernel's on this process, in bytes.
func status(name string) (kilobytes int64, err error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, value, _ := bytes.Cut(text, []byte("\n"+name+":"))
	_, err = fmt.Sscan(string(value), &kilobytes)
	return kilobytes << 10, err
}
