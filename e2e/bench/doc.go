// Package bench holds package nativebench, and limits on what it reports, to the truth in three bindings that others wrote: SQLite,
// Zstandard and libxml2.
//
// The truth is a library of 100 lines that LD_PRELOAD puts before malloc, and that counts for itself. The test runs its own
// benchmarks below it, and compares both counts, which must be equal.
//
// libxml2 needs a Debian package, libxml2-dev, so its benchmark has the build tag libxml2.
package bench
