package victim

// #include "victim.h"
import "C"

// PairSize is the size of the blocks of PairsOnThreads.
const PairSize = C.VICTIM_PAIR_SIZE

// PairsOnThreads allocates and frees the same number of blocks on each of the C threads at once, at one site, and returns
// the total number of pairs.
func PairsOnThreads(threads, pairs int) int64 {
	return int64(C.victim_pairs_on_threads(C.size_t(threads), C.size_t(pairs)))
}
