// Command twin measures what it costs to look for what points to which block, in a process that has gigabytes: how long the process
// stands still, beside a fork of it by libc, and how fast the copy reads. In bench/:
//
//	go run ./twin -bytes 10e9 -kinds block,table,list,huge
//
// The bytes are in one block of malloc, in blocks of 1,000 bytes with a table of them, or in a list of such blocks, of which each is
// found only through the one before. For the huge kinds, malloc asks the kernel for huge pages. A fork and a search take turns; the pause of a search that made two copies is the longer one.
// It needs that much memory, and an eighth more.
package main
