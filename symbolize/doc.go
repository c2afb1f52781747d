// Package symbolize turns addresses in ELF files into names: the function, the functions inlined there, file, line and
// column; or a Reason why there is no name. A profile has to leave the process named, as viewers hardly name native code.
//
//	addresses of one module ─► Go code of this process?  ─► the runtime's own tables, inlined calls included
//	                        ─► named before?             ─► the answer from then
//	                        ─► Go code of any file?      ─► the Go function table in it, inlined calls included
//	                        ─► DWARF of its file, or else of its debug file ─► functions, inlined calls, lines
//	                        ─► stubs of the linker       ─► malloc@plt
//	                        ─► symbol tables of all files ─► a function, and DWARF's line if it has one
//	                        ─► a Reason, and by .eh_frame where the function begins
//
// The first source that knows a function wins, and its answer is taken whole. The order is a rule about who is right: what
// the runtime and the Go function tables say of Go code is what the program itself goes by; DWARF knows inlined calls and
// lines, symbols only what was exported or left. One exception: a C++ function that only its own file sees has no mangled
// name in DWARF, and takes it from the symbol that covers it, if both are called the same but for template arguments,
// which compilers and demanglers spell differently (spelling.go). Clones of a function (.cold, .constprop.0) carry the
// function's name where DWARF gives it. The symbols of all files are one table: .symtab and .dynsym of the module's file,
// .symtab of its debug file, and the packed one (.gnu_debugdata) if there is no .symtab. Of several symbols at one address
// the same one wins wherever it comes from, and of those around an address the one that begins last, so a source with
// more symbols is the better one without being asked first.
//
// A stripped file has symbols only for what others may call. One of those without a size would name everything up to the next,
// so there it holds only to the end of its own function, which .eh_frame knows. Where no name is left, Result.Start says where
// the function begins: that is not a name, but enough to add up what belongs together.
//
// Tidy says what a reader of stacks wants to see of what was found: plumbing.go tells which frames are machinery.
//
// Which files belong to a module is the business of internal/debugfile. One that may be another build's is refused, and
// the refusal is the Reason of the addresses that stay without a name.
//
// The debug data is read by internal/dwarf, which passes over it once on behalf of all addresses of a batch and keeps
// nothing. Between two profiles only answers are kept. Their number is bounded; when the bound is reached all are
// forgotten, as they are when nobody asks for half an hour. A file is open only during one Resolve.
//
// Names are demangled with their template arguments and without parameters, unless Style says otherwise; symbols of one
// address are ordered so that the name that a program would write comes first (malloc before __libc_malloc). Both are
// deterministic: the same file gives the same names.
//
// The files may be hostile: the rooms that read them, internal/elffile, internal/xz and internal/dwarf, bound what they
// believe and what they spend, and a name that would make the demangler expand without end stays mangled (explode.go). Damage
// never hides what the symbol table knows.
//
// Code made at run time has no file. Its names come from lists that its runtime keeps: for GDB, in memory, or for Linux' perf,
// in a file. The first wins. Both say what is at an address now, so they are read for each profile, and an address for which the
// first does not always say the same loses its name (jitseen.go).
//
// Deliberately absent: any logging.
package symbolize
