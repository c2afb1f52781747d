// Package elffile opens ELF files that may be hostile, once, for every package that reads them.
//
// A profiler reads whatever the process has mapped: files cut short by a failed deployment, packed by tools that
// scramble the section headers, compressed so that a kilobyte claims to be a terabyte. debug/elf's documentation excludes
// such input. So this package takes the layouts and names from debug/elf and does the reading itself, which is little:
//
//	header ─► program headers ─► segments, notes ─► build ID       what loaders need: damage here is an error
//	      └─► section headers ─► sections ─► symbols, DWARF        what loaders ignore: damage here is remembered
//
// The invariant: no read allocates more than the file holds, no section above a megabyte grows to more than its compressed
// size can honestly explain, nor all of a file's to more than two gigabytes, and no bytes panic. No part of a file is read as
// often as its headers name it: one symbol table of each kind counts, and a megabyte of notes. Files without section headers
// still work by their program headers: segments, build ID and .eh_frame do not need sections.
//
// What is deliberately absent: 32-bit and big-endian files (no process that contains the profiler loads them), relocation
// (only linked files are ever loaded), writing, and any cache.
package elffile
