// Package debugfile finds the files that can name the code of a loaded module, and opens them.
//
// Debug data seldom stays in the program. Distributions move it to separate files, and into files that several of those
// share; compilers leave most of it beside the object files; and the rest in the program may be packed. This package finds
// it as GDB does, in this order:
//
//	the module's own file          has .debug_info ─► no other file is looked for
//	  └► separate file, the first that counts (separate.go):
//	       by build ID             DIR/.build-id/xx/yyyy.debug                 for each DIR
//	       by .gnu_debuglink       beside the module, .debug below it, DIR/the module's directory
//	       from a debuginfod server, if the user has allowed it
//	  └► .gnu_debugdata            a small ELF file with a symbol table, xz-compressed, if no .symtab was found yet
//
//	from whichever has .debug_info, when something refers to it (split.go):
//	  └► .gnu_debugaltlink         what dwz has moved: by path, by build ID, DIR/.dwz
//	  └► split debug data          one .dwp beside the module, or by build ID; otherwise a .dwo for each unit
//
// The DIRs are the directories of Finder.Dirs and, after them, /usr/lib/debug.
//
// The invariant: a file is accepted only if it proves that it belongs to the module, by build ID, or, if one of the two has
// none, by the checksum in the debug link. (Split debug data has an ID per unit, which internal/dwarf compares.) So a module
// that was updated on the disk while it runs is not named by the debug file of its successor. A file that exists and is not
// accepted is a Refusal, with the reason; a missing file is normal, unless other debug data refers to it.
//
// Files are opened and their sections read by internal/elffile, through windows and with pread rather than mmap: a file that
// is truncated while it is read causes an error, where a mapping would kill the process with SIGBUS.
//
// Deliberately absent: any cache besides the debuginfod protocol's, because symbolize remembers answers and finding files
// takes a few failed opens per module; GDB's sysroot; links in a program that lead outside its directories.
package debugfile
