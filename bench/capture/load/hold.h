// Blocks that stay.
#ifndef HOLD_H
#define HOLD_H

// Allocates so many blocks on so many stacks, at most 2^15, of as many frames and so many more, and keeps them. Those of one
// stack are of one size.
void hold(long blocks, long stacks, long depth);

#endif
