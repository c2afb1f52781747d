// Blocks that stay.
#ifndef HOLD_H
#define HOLD_H

// Allocates blocks on that many stacks, at most 2^15, and keeps them. depth adds frames to each stack. Blocks of one
// stack have one size.
void hold(long blocks, long stacks, long depth);

#endif
