package victim

// #include "victim.h"
import "C"

// Lose allocates a block that nothing points to. At most 1024 are lost, and as many cached.
func Lose(size uintptr) { C.victim_lose(C.size_t(size)) }

// CachePut allocates a block that a global array points to, victim_cache.
func CachePut(size uintptr) { C.victim_cache_put(C.size_t(size)) }

// FifoPush allocates a block of a list that begins in a global, victim_fifo.
func FifoPush(size uintptr) { C.victim_fifo_push(C.size_t(size)) }

// FreeHeld frees all of these.
func FreeHeld() { C.victim_held_free() }
