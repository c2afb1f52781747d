// The black box: a region that lies in a file, so that it is still there after the process was killed.
//
// The file lies in memory (tmpfs). On a disk, a thread that touches a page waits for the disk: for a busy one, and without an end
// for one that is frozen or gone. Nothing can end that wait, not even SIGKILL.
//
// A page of the file that cannot be had, because the volume is full or somebody made the file shorter, is a SIGBUS for the thread
// that touches it, in the midst of malloc (see shield.h). A handler puts memory in its place. If the file is as long as it was, the
// page was never written, and only the file lacks it: the recording goes on. If not, or if the page's memory is faulty, the
// recording is over, and its readers must not trust it.
#ifndef CGOHEAP_BOX_H
#define CGOHEAP_BOX_H

#include <stdint.h>

enum box_state {
	BOX_NONE,  // the region lies in memory
	BOX_WHOLE,
	BOX_FULL,  // the volume had no room for pages, which are in memory only
	BOX_LOST,  // pages that had been written are gone
};

enum box_state box_state(void);

// Not 0 while a thread puts memory in the place of a page. Another waits for it, for GATE_PAUSE at most: then the recording is lost.
extern uint32_t cgoheap_box_busy __attribute__((visibility("hidden")));

// Installs the handler, for a region that lies in a file and was just mapped. 0, or an errno.
int box_open(void);

// Keeps the header as it was laid out, for the case that its page cannot be had later.
void box_laid_out(void);

// Removes the handler, unless another has been installed since: then it lets that have all signals.
void box_close(void);

#endif
