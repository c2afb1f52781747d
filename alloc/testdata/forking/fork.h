// A thread of C's that gets a signal while it is in fork.
#ifndef FORK_H
#define FORK_H

// Has wake called, then a thread of C's fork, and that thread get a SIGCHLD while it holds the allocator's locks. wake has
// answered called soon, on another thread. Returns 0, or an errno: the kernel does not say where the thread is in fork.
int fork_amid(void (*wake)(void));
void answered(void);

void wake_by_signal(void);

#endif
