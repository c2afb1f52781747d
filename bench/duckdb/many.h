// Allocations on many stacks, beside DuckDB's.
#pragma once

// many_stacks allocates n blocks of 64 bytes, each on a stack of its own, and keeps them.
void many_stacks(int n);
