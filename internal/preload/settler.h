// The thread that settles the tables once a second, so that whoever opens the box of a living process finds the state of one moment.
#ifndef PRELOAD_SETTLER_H
#define PRELOAD_SETTLER_H

// Starts the thread. It allocates, so nothing may be recorded yet. Without it the program is recorded, but its box can only be read when
// the process has ended.
void settler_begin(void);

#endif
