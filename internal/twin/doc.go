// Package twin has a copy of the process look at its own memory: what points to which recorded block, and what each of them keeps
// malloc from giving back.
//
//	list the blocks ─► room? ─► clone ─► stacks, files ─► wait, guard ─► what was found
//	                            │
//	                            └─► the copy: cgo/twin.h
//
// The kernel makes the copy page after page while other threads run, so it is of a moment, not quite of one instant; package reach makes two.
// The program stands still only meanwhile. After that, each page that the program
// writes is copied, as long as the copy lives. So it is not made where the control group or the machine has too little room for
// that, and killed when room becomes scarce. It has a deadline, runs at a lower priority, is what the kernel kills first, and
// there is one at a time.
//
// The copy shares the process's table of files. Otherwise a file that the program closes would stay open until the copy ends, and
// the end of the copy would close files, which some file systems take as a sign to write. It opens none: this package does.
package twin
