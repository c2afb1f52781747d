// Package pclntab reads the table by which a Go program knows its own functions: names, files, lines, and the calls that
// were inlined. The runtime needs it to print stacks, so no flag and no strip removes it: it names the Go code of any ELF
// file, above all that of files without DWARF and of libraries that bring a runtime of their own.
//
// The table is a header and five areas, and the module data says where they are once loaded:
//
//	moduledata ─► header     how many functions, the size of an instruction
//	           ─► functab    entry ─► func: name, start line, offsets of its pc tables, of its inline tree
//	           ─► pctab      per function and purpose: runs of pcs that have one value (file, line, place in the tree)
//	           ─► names, files
//	           ─► gofunc     the inline trees: name, start line, and the pc that stands for the call
//	           ─► text       where the code begins
//
// An address is looked up as the runtime does it: find its function; ask its pc table for the place in the inline tree;
// that entry's parent pc is again an address in the function, whose line is the line of the call; and so on until a pc
// is in no inlined call, which is the function itself.
//
// The header alone has no inline trees and, since Go 1.26, no start of the code, so the module data must be found. It has
// a section of its own since Go 1.26, .go.module. Before, it is the word in the data that points to the header, followed
// by words that agree with the header. In position-independent files such words are relocations, and what the file holds
// in their place is nothing: so they are looked for, and read, through .rela.dyn.
//
// The files may be hostile. What the module data says must agree with the header and lie in the file; an address can
// cost only so many steps, and so can a Table; what does not fit is no frame, never a panic.
//
// Deliberately absent: tables before Go 1.20, code that the linker split into several text sections,
// position-independent files without section headers.
package pclntab
