// Package debugfile finds the files that can name the code of a loaded module, and opens them.
//
// What a compiler knows about a program seldom stays in the program. Distributions move it to files of their own, and
// into files that several of those share; compilers leave most of it beside the object files; and what is left in the
// program may be packed. This room finds it as GDB does, in this order:
//
//	the module's own file          has .debug_info ─► no other file is looked for
//	  └► separate file, the first that counts:
//	       by build ID             DIR/.build-id/xx/yyyy.debug                 for each DIR
//	       by .gnu_debuglink       beside the module, .debug below it, DIR/the module's directory
//	       from a debuginfod server, if the user has allowed it
//	  └► .gnu_debugdata            a small ELF file with a symbol table, xz-compressed, if no .symtab was found yet
//
//	from whichever has .debug_info, when something refers to it:
//	  └► .gnu_debugaltlink         what dwz has moved: by path, by build ID, DIR/.dwz
//	  └► split debug data          one .dwp beside the module, or by build ID; otherwise a .dwo for each unit
//
// The DIRs are those of Finder.Dirs and, after them, /usr/lib/debug.
//
// The invariant: a file counts only if it says of itself that it belongs to the module, by build ID, or, where one of the
// two has none, by the checksum in the debug link. (Split debug data has an ID per unit, which internal/dwarf compares.)
// So a module that was updated on the disk while it runs is not named by the debug file of its successor. A file that
// exists and does not count is a Refusal, which says why; one that is not there is nothing special, unless other debug
// data refers to it.
//
// Files are opened and their sections read as internal/elffile does it, through windows and with pread rather than mmap:
// a file that somebody truncates while it is read gives an error, where a mapping would kill the process with SIGBUS.
//
// Deliberately absent: any cache besides that of the debuginfod protocol, since answers are remembered in symbolize and
// finding files is a few failed opens per module; GDB's sysroot; links in a program that lead outside its directories.
package debugfile
