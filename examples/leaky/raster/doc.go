// Package raster makes thumbnails of PPM and PGM pictures with a small C++ library.
//
// The library is written as such libraries are: templates over the pixel type, std::vector for every buffer, errors as
// exceptions that are caught at its C door (raster.h), a thread of its own for work in bulk. It is compiled with -O2 and
// without frame pointers, so that a profiler has to earn its stacks.
//
//	ppm bytes ── decode ──► Image<Pixel> ── shrink ──► Image<Pixel> ── encode ──► ppm bytes
//
// Every picture that leaves the library is copied into Go memory, and its native copy freed. Only a [Cache] keeps what
// it rendered, and it keeps it for ever: that is the leak which this example is about.
package raster
