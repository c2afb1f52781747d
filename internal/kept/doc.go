// Package kept tells leaks from what stays: memory that libc and Go's runtime keep for themselves, and what Go frees when it is made
// to. The packages that look at a test or a benchmark share it.
package kept
