// The twin: a copy of the process, made by a bare clone, that looks in its own memory for what points to the recorded blocks. No
// thread of the program is in it, and its memory is that of one instant, as far as the kernel can: it copies page after page while other
// threads run.
//
//	Go prepares a task in memory that both share ─► twin_start ─┬─► the process goes on
//	                                                           └─► the twin: twin_chunks ─► twin_nodes ─► twin_mark, twin_pinned ─► exit
//
// The twin makes system calls of its own only, calls no function of a library, takes no lock, runs no signal handler, and writes
// only to memory that it mapped itself and to the task. It uses the process's table of files, and changes nothing in it: Go opens
// what it reads, and says where. Whatever it meets in memory, it may be wrong only in what it reports: a load that faults ends it.
#ifndef CGOHEAP_TWIN_H
#define CGOHEAP_TWIN_H

#include <stdbool.h>
#include <stdint.h>

#include "task.h"

// Makes the twin. Returns its process ID, or −errno. In the twin it does not return.
int twin_start(struct twin_task *task);

#endif
