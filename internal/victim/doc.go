// Package victim allocates on purpose, so that tests can say what a profile of it must show.
//
// Each behaviour of the outside world is one tiny C or C++ function with a telling name and a Go function that calls it.
// A function that allocates is a site: it is never inlined, cloned or left by a tail call (except the one whose behaviour
// that is), so its name stands in every stack that it causes, and it allocates exactly what its comment says. What a site
// returns is for the caller to release, with Free unless it says otherwise.
//
// All of it is compiled -O2 without frame pointers, as distribution libraries are. The package knows nothing of the
// profiler: its one tie is a weak reference to the walker in package cgo, which is there only in programs that link both.
package victim
