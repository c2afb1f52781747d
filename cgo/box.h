// The black box: a region that lies in a file, so that it is still there after the process was killed.
//
// A page of the file that cannot be had, because its disk is full or somebody made it shorter, is a SIGBUS for the thread that
// touches it, in the midst of malloc (see shield.h). A handler puts memory in its place. If the page had never been written,
// only the file lacks it: the recording goes on. If it had, the recording is over, and its readers must not trust it.
#ifndef CGOHEAP_BOX_H
#define CGOHEAP_BOX_H

enum box_state {
	BOX_NONE,  // the region lies in memory
	BOX_WHOLE,
	BOX_FULL,  // the file had no room for pages, which are in memory only
	BOX_LOST,  // pages that had been written are gone
};

enum box_state box_state(void);

// Installs the handler, for a region that lies in a file and was just mapped. 0, or an errno.
int box_open(void);

// Keeps the header as it was laid out, for the case that its page cannot be had later.
void box_laid_out(void);

// Removes the handler, unless another has been installed since: then it lets that have all signals.
void box_close(void);

#endif
