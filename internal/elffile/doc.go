// Package elffile opens ELF files that may be hostile, once, for every room that reads them.
//
// A profiler reads whatever the process has mapped: files cut short by a failed deployment, packed by tools that
// scramble the section headers, compressed so that a kilobyte claims to be a terabyte. debug/elf says of itself that it
// is not made for such input. So this package takes the layouts and names from debug/elf and does the reading itself,
// which is little:
//
//	header ─► program headers ─► segments, notes ─► build ID       what loaders need: damage here is an error
//	      └─► section headers ─► sections ─► symbols, DWARF        what loaders ignore: damage here is remembered
//
// The invariant: no read allocates more than the file holds, no section above a megabyte grows to more than its compressed
// size can honestly explain, nor all of a file's to more than two gigabytes, and no bytes panic. No part of a file is read as
// often as its headers name it: one symbol table of each kind counts, and a megabyte of notes. Files keep working without section headers as far as the program headers
// carry them: segments, build ID and .eh_frame do not need sections.
//
// What is deliberately absent: files of 32 bits and big-endian ones (no process that has us runs them), relocation (only
// linked files are ever loaded), writing, and any cache.
package elffile
