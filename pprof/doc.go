// Package pprof writes profile.proto, the format of `go tool pprof` and of profile servers, as a stream.
//
// # What happens to one sample
//
//	Location(l) ─► mapping entry (kept; written at the end)
//	            ├► strings, functions not seen before ─┐
//	            └► the location itself ────────────────┤ messages, in this order
//	Sample(ids) ──────────────────────────────────────►│
//	                                                   ▼
//	                             wire (32 KiB) ─► gzip, or not ─► io.Writer
//
// A profile is one protobuf message whose fields may come in any order, so every string, function and location is
// written at the moment it is first seen, just before whatever refers to it, and only its number is kept. A sample
// leaves nothing behind at all. What the encoder holds is therefore bounded by the number of distinct names and
// locations, however many samples there are.
//
// The tables of strings, functions and locations lie in scratch memory, which goes back to the kernel when the profile is
// closed. Buffers and compressors outlive it: they wait in pools for the next one, or for the garbage collector.
//
// Mapping entries are the exception. Their flags say what the lines under them contain, which is known when the last
// location has been seen; there are as many of them as there are loaded files, so they wait until Close.
//
// # What readers demand
//
// The format leaves many choices open that readers do not. These hold in everything written here:
//
//   - The IDs of mappings, functions and locations are their index + 1: Parca refuses others.
//   - An address is an ELF address, and its mapping starts at 0, ends at 2^64 − 1, has file offset 0 and a GNU build ID.
//     This is the only form that pprof, Parca and Pyroscope all read right.
//   - A location is identified by mapping and address, a function by name, system name, file and start line.
//   - has_functions tells viewers that they need not look for names. So the locations of a file that could not be named
//     lie under a second entry of the same file, which has none of the flags.
//   - The first mapping is the main binary.
//   - Strings are UTF-8. Whatever is not, arrives from symbol tables all the same, and becomes U+FFFD.
//   - A duration makes Parca take a profile for a delta, so it is 0 unless it is given.
//   - A label belongs to a sample and stands there once, be its key a text's or a number's.
//
// Equal calls give equal bytes: everything is numbered and written in the order in which it is given.
//
// # Errors
//
// The first error of the writer is returned by Sample and by Close; the writer is not called again after it, and a write
// that is short without an error is one. A header that makes no sense is such an error too.
//
// What is deliberately absent: reading profiles (github.com/google/pprof/profile does), naming addresses, merging samples
// of equal stacks (readers add them up), drop_frames (servers ignore them).
package pprof
