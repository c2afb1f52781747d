// Command account measures what an account of RSS costs in a process that has gigabytes: its time, beside the kernel's own
// sum of the same pages (smaps_rollup), and the memory that it takes in Go's heap and beside it. In bench/:
//
//	go run ./account -bytes 10e9 -kinds large,small,mapped
//
// The bytes are in blocks of malloc of 1 MB, in blocks of 100 bytes, or in mappings of 1 MB, each with a guard page, of which
// the kernel joins none. An account and a reading of smaps_rollup take turns. It needs that much memory.
package main
