// Notes in the region which signals came that may end the process, for those that find its black box. See ending.c.
#ifndef CGOHEAP_ENDING_H
#define CGOHEAP_ENDING_H

#include <signal.h>
#include <stdbool.h>

#define ENDING_SIGNAL 0xff // the bits of a note that have the signal's number; the others are the time, by clock_now, in nanoseconds

// Notes the signal from now on, and passes it on to the handler that it has, which must be one with SA_SIGINFO. False if the
// kernel refuses. ending_end restores that handler, unless another one has been installed since. One caller at a time.
bool ending_begin(int number);
void ending_end(int number);

// Notes one signal, in its handler.
void ending_note(int number, const siginfo_t *info);

#endif
