// Package mappings serves cgoheap alone: it may change in any release, and promises nothing to other modules.
//
// It knows which files are loaded in the process, and turns runtime addresses into addresses of those files.
//
// # From text to modules
//
//	/proc/self/maps ─ parse ─► mappings ─ inspect ─► modules: ranges, bias, build ID
//	                                        ▲
//	                          ELF headers ──┘  of the file, or as they lie in memory
//
// The kernel lists mappings, several for each file. A Module is one load of one file: all executable mappings of the file
// that have one bias. A library that is loaded twice (dlmopen) is two modules.
//
// # Three kinds of address
//
// A RuntimeAddr is where something lies in memory, a FileOffset where it lies in the file, an ELFAddr where the file says
// it should lie. Symbol tables, DWARF, addr2line and profile servers speak of the third. For code in a segment,
//
//	ELF address = runtime − mapping start + mapping offset + (p_vaddr − p_offset)
//	       bias = runtime − ELF address          the same for every segment of one load
//
// Many tools leave p_vaddr − p_offset out, which goes unnoticed with shared libraries from GNU ld, where it is 0 for code.
// It is 0x400000 in Go's executables, and a page or more in files that lld, gold or mold have linked.
//
// # What may have happened to the file
//
// A path was true when the file was mapped. By the time it is opened, the file may have been deleted, replaced by its next
// version, truncated, or put out of reach by a container. So a file is used only if it is the mapped one: by device and
// inode, or, where those are not comparable (overlay file systems) or differ, by the build ID that lies in memory. Otherwise
// the headers in memory still have bias and build ID, and Module.Err has the reason why there is no file.
//
// If a file is overwritten in place, its mapped pages change too, except those that the process has modified. So a file is
// compared with its state when the module was found: by the build ID, or without one by size and time.
//
// A plugin is a file whose Go code belongs to the running Go runtime. The ELF file does not show whether the runtime has
// adopted it; the runtime knows, so package alloc sets Module.Plugin.
//
// Code that was made at run time lies in no file. SelfAndMade lists where; all of it is one module, Made, whose ELF addresses
// are runtime addresses.
package mappings
