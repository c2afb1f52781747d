// The thread that settles the tables once a second, or more rarely if they are so large that this takes more than a hundredth of a processor. So
// whoever opens the box of a living process finds the state of one moment. Only if
// it is asked for: a program can notice that it has a second thread, as Python does when it forks.
#ifndef PRELOAD_SETTLER_H
#define PRELOAD_SETTLER_H

#include <stdbool.h>

// Starts the thread. It allocates, for the first time before anything is recorded; libc keeps the memory of one that has ended. Without it
// the program is recorded, but its box can only be read when the process has ended.
void settler_begin(void);

// Ends it, and waits for that. False if it does not run in this process. One caller at a time of this and the above.
bool settler_end(void);

#endif
