// Package profiletest plays a scene that has something for each view of a profile, and reads profiles back: what the tests
// of the root and of the whole profiler share. Tests alone import it.
package profiletest
