// Package victim allocates on purpose, so that tests know what a profile of it must show.
//
// Each behaviour of the outside world is one tiny C or C++ function with a telling name and a Go function that calls it.
// A function that allocates is a site: it is never inlined, cloned or left by a tail call (except the function that is there
// to show a tail call), so its name is in every stack that it causes, and it allocates exactly what its comment says. The
// caller must release what a site returns, with Free unless the comment says otherwise.
//
// All of it is compiled -O2 without frame pointers, as distribution libraries are. The package does not depend on the
// profiler: its only link is a weak reference to the walker in package cgo, which is set only in programs that link both.
package victim
