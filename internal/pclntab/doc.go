// Package pclntab reads the function table of Go programs: names, files, lines, and the calls that were inlined. The runtime
// needs it to print stacks, so no flag and no strip removes it. It names the Go code of any ELF file, above all of files
// without DWARF and of libraries with their own runtime.
//
// The table is a header and five areas; the module data has their addresses in the loaded file:
//
//	moduledata ─► header     how many functions, the size of an instruction
//	           ─► functab    entry ─► func: name, start line, offsets of its pc tables, of its inline tree
//	           ─► pctab      per function and purpose: runs of pcs that have one value (file, line, node of the tree)
//	           ─► names, files
//	           ─► gofunc     the inline trees: name, start line, and the pc that stands for the call
//	           ─► text       where the code begins
//
// An address is looked up as the runtime does it: find its function; ask its pc table for the node in the inline tree;
// that entry's parent pc is again an address in the function, whose line is the line of the call; and so on until a pc
// is in no inlined call, which is the function itself.
//
// The header alone has no inline trees and, since Go 1.26, no start of the code, so the module data must be found. It has
// a section of its own since Go 1.26, .go.module. Before, it is the word in the data that points to the header, followed
// by words that agree with the header. In position-independent files such words are relocations, and the words in the file
// are zero: so they are searched and read through .rela.dyn.
//
// The files may be hostile. The module data must agree with the header and lie in the file; the steps for an address and for
// a Table are bounded; what does not fit yields no frame, and never a panic.
//
// Deliberately absent: tables before Go 1.20, code that the linker split into several text sections,
// position-independent files without section headers.
package pclntab
