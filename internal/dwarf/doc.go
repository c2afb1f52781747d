// Package dwarf reads the names of addresses from DWARF debug data, and nothing else.
//
// A general reader builds what it reads: entries, attributes, tables of ranges and of lines. To name ten thousand
// addresses of a large program takes some hundredth of that, so this reader does the reverse. The addresses of a batch
// are sorted, the debug data passes by, and each part is skipped as soon as it is clear that no address lies in it:
//
//	.debug_info   unit header ─► next unit                    one entry per unit: the root, with the unit's ranges
//	                └► root ─► in a range of it: walk         the others are never read
//	                     └► entry ─► covers none: sibling     classes, and the bodies of other functions
//	                          └► function, inlined call       collected by the addresses that they cover
//	.debug_line   run once per walked unit                    rows pass by, only rows that cover an address stay
//	names         of the functions that were collected        through the entries that they refer to, in any unit
//
// A walk goes where functions usually are and ends with the last address. What it skipped is searched only for addresses
// that have no function then (thorough.go). The search for the names around a function begins at the last position that the
// walk recorded before it (spine.go).
//
// Entries are skipped by a plan that is made once per abbreviation (abbrev.go): neighbouring attributes of fixed size are
// one addition. Sections are read through windows (cursor.go), so that a file of any size takes a megabyte or two of
// memory per goroutine, and what is skipped is not read from the disk; only compressed sections are in memory as a whole.
// Nothing is kept from one search to the next: finding the units again costs some hundred nanoseconds each.
//
// Units are walked by a few goroutines at once. An address that several units claim belongs to the first in the file,
// whichever was walked first, and so do several functions at one address within a unit: the answers are always the same.
//
// The debug data may be spread over files: an alternate one with what dwz found in several programs, and one per unit,
// or a package of them, for split DWARF. The caller finds them (Program). Versions 2 to 5 are read, in 32-bit and 64-bit
// DWARF, little-endian.
//
// Files may be hostile. Every read goes through a cursor that cannot leave its section; positions only grow, or lead to
// a chain of references with a bounded length; tables, depths and strings have limits; and all work is counted (budget.go)
// and ends with ErrTooBig. The undamaged parts are read, and the damage is reported.
//
// Deliberately absent: types, variables, locations, call frames, macros; .debug_aranges and .debug_names, which some
// compilers leave out and some tools get wrong, so the units would have to be read anyway; type units, as code never lies in
// one; demangling.
package dwarf
