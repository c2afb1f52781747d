/* Stacks through SQLite: the functions it calls back walk the stack. */
#ifndef CGOHEAP_E2E_WALK_H
#define CGOHEAP_E2E_WALK_H

/* Each runs SQL in a database of its own and calls walk from inside it; returns 0, or SQLite's error code. */
int walked_from_exec(void (*walk)(void));
int walked_from_function(void (*walk)(void));
int walked_from_trace(void (*walk)(void));
int walked_from_collation(void (*walk)(void));

#endif
