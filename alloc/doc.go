// Package alloc runs a recording and reads it: from the shim's region to a stack.Profile. It owns start and stop.
//
// A recording begins with what the shim cannot do for itself inside malloc: the loaded files are found (mappings), their
// index is put into the region, and the walk is tried on a known call. Their unwind data becomes rows (unwind): at once for
// files that may be closed, for the others beside the program, when the shim has looked for rules often. Files that the
// program loads later are looked for when a sample meets code that nobody knows, and before each snapshot.
//
// A snapshot is the exact state of one moment, while the program goes on allocating: cgo's gate cuts time in two, and
// what was recorded before the cut stands still in each site's settled tallies. The values of a sample are the sums of the
// weights that its blocks were given when they were taken; nothing is scaled here, and nothing is averaged. They are rounded to
// whole numbers by a random threshold that each site keeps, so that totals are unbiased (rounding.go).
package alloc
