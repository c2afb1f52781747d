package victim

// #include "victim.h"
import "C"

// Crash stores a word where no memory is, in C: the process dies of SIGSEGV, by way of Go's runtime.
func Crash() { C.victim_crash() }
