// Package counter asks the library of testdata/counter.c, which counts what malloc is asked for.
package counter
