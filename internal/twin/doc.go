// Package twin has a copy of the process look at its own memory: what points to which recorded block, and what each of them keeps
// malloc from giving back.
//
//	list the blocks ─► room? ─► clone ─► stacks, files ─► wait, guard ─► what was found
//	                            │
//	                            └─► the copy: twin.h
//
// The kernel makes the copy page after page while other threads run, so it is of a moment, not quite of one instant; package reach makes two.
// The program stands still only meanwhile. After that, each page that the program
// writes is copied, as long as the copy lives. So it is not made where the control group or the machine has too little room for
// that, and killed when room becomes scarce. It has a deadline, runs at a lower priority, is what the kernel kills first, and
// there is one at a time.
//
// The copy shares the process's table of files. Otherwise a file that the program closes would stay open until the copy ends, and
// the end of the copy would close files, which some file systems take as a sign to write. It opens none: Go does.
//
// Go has these files:
//
//	twin_linux.go  the way above; report.go is what comes of it
//	room.go        whether there is memory for a copy; harm_linux.go whether one would harm the process
//	task.go        memory that both share: what the copy is told, and what it has found
//	stacks.go      what is in use of the stacks of threads; data_linux.go the files and descriptors whose words are told apart
//	unread_linux.go  how much a copy cannot look at
//
// What runs in the copy is C:
//
//	twin.c     makes the copy, and is it; task.h is what it is told, and tells, found.h the lists, and what can hold a block
//	mark.c     marks what can be reached: from the words of the program's own memory (areas.c), and of stacks (stacks.c), through the
//	           blocks that pointers may lead to (nodes.c); sort.c sorts their lists
//	go*.c      Go's heap and the stacks of goroutines, and (go_paths.c) what keeps an object of that heap
//	chunks*    the chunks of glibc's heaps, each heap by heap.c; pinned.c says which blocks keep free memory resident
//	maps.c     the kernel's list of mappings
//	machine*.h  the few lines that go to the kernel, copied from package cgo
//	names.h    the names by which the linker knows the functions, so that no library has the same
//
// It calls nothing but itself, not even libc, and has no variables: whatever other threads were doing at the instant does not matter to it,
// and it is the same in the program and in a plugin.
// The tests of the C without Go lie in testdata/ctest; package goparts has those of what it reads of Go's memory.
package twin
