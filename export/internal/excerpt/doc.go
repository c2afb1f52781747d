// Package excerpt makes smaller profiles of one: some of its columns, without its duration, without labels.
//
//	gzip ─► Read ─► the message as it lies ─► Write(columns, labels, bounds) ─► gzip
//	                                           └► Unnamed: files without names
//
// The profiler writes one profile of one moment, with four columns: what was allocated since the last one, and what is in
// use. A server may want the two apart, and does not want labels if it makes a series of each. Taking two profiles instead
// would take two moments, and name everything twice.
//
// The two that Parca gets of 16,000 samples take about three times as long as it took to encode the profile, and a sixth of
// what google/pprof takes for them (BenchmarkExcerpt). Nothing is decoded that is not changed: a field that stays is copied
// as it lies. Samples are written anew. Samples that no longer differ are added up, and those without a value left out, so
// that an excerpt has no more samples than the bounds of the profile allowed. Strings and locations that only those used
// stay, because numbers refer to them by position.
//
// The file of a recovered profile may be larger than a server takes. An excerpt with bounds that do not admit it is cut: only
// then, locations and strings that nothing refers to are left out.
//
// The input was written by this process, or by one that had a black box, so it is trusted; damaged input is an error all the same.
package excerpt
