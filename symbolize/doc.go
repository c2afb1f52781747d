// Package symbolize serves cgoheap alone: it may change in any release, and promises nothing to other modules.
//
// It turns addresses in ELF files into names: the function, the functions inlined there, file, line and column; or a
// Reason why there is no name. A profile has to leave the process with its names, because viewers hardly name native code.
//
//	addresses of one module ─► Go code of this process?  ─► the runtime's own tables, inlined calls included
//	                        ─► named before?             ─► the same answer
//	                        ─► Go code of any file?      ─► the Go function table in it, inlined calls included
//	                        ─► DWARF of its file, or else of its debug file ─► functions, inlined calls, lines
//	                        ─► stubs of the linker       ─► malloc@plt
//	                        ─► symbol tables of all files ─► a function, and DWARF's line if it has one
//	                        ─► a Reason, and the function's start by .eh_frame
//
// The first source that knows a function wins, and its answer is taken whole. The order is by authority: the runtime and the
// Go function tables are what the program itself uses for Go code; DWARF has inlined calls and lines; symbols are only those
// exported or left. One exception: a C++ function local to its file has no mangled name in DWARF, and takes the name of the
// symbol that covers it, if both are equal except for template arguments, which compilers and demanglers spell differently
// (spelling.go). Clones of a function (.cold, .constprop.0) have the function's name if DWARF names them. The symbols of all
// files are one table: .symtab and .dynsym of the module's file, .symtab of its debug file, and the packed one
// (.gnu_debugdata) if there is no .symtab. Of several symbols at one address the same one wins whatever its source, and of
// several around an address the one that begins last. So the order of the symbol tables does not matter.
//
// A stripped file has symbols only for exported functions. One without a size would name everything up to the next symbol,
// so there it covers only its own function, whose end is in .eh_frame. If there is no name, Result.Start is where the
// function begins: not a name, but enough to add up addresses of one function.
//
// Tidy reduces the frames of a location to the frames that a reader of stacks wants to see: hidden.go defines which
// frames are hidden.
//
// internal/debugfile finds the files that belong to a module. It refuses a file that may be another build's, and the refusal
// becomes the Reason of the addresses that stay without a name.
//
// The debug data is read by internal/dwarf, which passes over it once for all addresses of a batch and keeps nothing.
// Between two profiles only answers are kept, compressed, and where the functions of each module begin (known.go, compact.go,
// known.go). The number of answers and of functions is bounded; all are forgotten when the bound is reached, and after half an
// hour without use. A file is open only during one Resolve.
//
// Names are demangled with their template arguments and without parameters, unless Style says otherwise; symbols of one
// address are ordered so that the name that a program would write comes first (malloc before __libc_malloc). Both are
// deterministic: the same file yields the same names.
//
// The files may be hostile: the packages that read them, internal/elffile, internal/xz and internal/dwarf, check all values
// and bound time and memory, and a name that would make the demangler expand without end stays mangled (style.go). Damaged
// debug data never hides names from the symbol table.
//
// Code made at run time has no file. Its names come from lists that its runtime keeps: for GDB, in memory, or for Linux' perf,
// in a file. The first wins. Both describe the code that is at an address now, so they are read for each profile, and an
// address whose name in the first changes loses its name (jitfind.go).
//
// Deliberately absent: any logging.
package symbolize
