// Package alloc serves cgoheap alone: it may change in any release, and promises nothing to other modules.
//
// It runs a recording and reads it: from the region that package cgo fills to a stack.Profile. It owns start and stop.
//
// A recording begins with the work that C cannot do inside malloc: it finds the loaded files (mappings), puts their index
// into the region, and tries the walk on a known call. The files' unwind data becomes rows (unwind): at once for files that
// may be closed; for the others in the background, when C has searched their memory for rules often. Files that the program
// loads later are looked for when a sample meets unknown code, and before each snapshot.
//
// A snapshot is the exact state of one moment, while the program goes on allocating: cgo's gate cuts time in two, and each
// site's settled tallies hold exactly what was recorded before the cut. Package internal/tables reads them.
package alloc
