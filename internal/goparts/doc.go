// Package goparts has a copy of the process read Go's memory by package twin's C, and nothing else, so that tests can compare what it sees
// with what they know. Tests alone import it.
//
// Headers of another folder would be no reason to build this package anew (golang/go#24355). It imports package twin, which is one: what is
// used of its headers here, it uses itself.
package goparts
