// Package cgoheap is a heap profiler for the memory that Go's own profiler cannot see: what C and C++ code allocates
// inside a Go process.
package cgoheap
