// Package pprof serves cgoheap alone: it may change in any release, and promises nothing to other modules.
//
// It writes profile.proto, the format of `go tool pprof` and of profile servers, as a stream.
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
// written when it is first seen, just before the message that refers to it, and only its number is kept. Nothing is kept of
// a sample. The encoder's memory is therefore bounded by the number of distinct names and locations, however many samples
// there are.
//
// The tables of strings, functions and locations lie in scratch memory, which goes back to the kernel when the profile is
// closed. Buffers are pooled for the next profile, until the garbage collector takes them. A compressor is not, because it takes 0.8 MiB.
//
// Mapping entries are the exception. Their flags describe the lines under them, which is known only after the last location.
// There are only as many entries as loaded files, so they wait until Close.
//
// # What readers demand
//
// The format leaves many choices open that readers do not. All profiles written here follow these rules:
//
//   - The IDs of mappings, functions and locations are their index + 1: Parca refuses others.
//   - An address is an ELF address, and its mapping starts at 0, ends at 2^64 − 1, has file offset 0 and a GNU build ID.
//     This is the only form that pprof, Parca and Pyroscope all read right.
//   - A location is identified by mapping and address, a function by name, system name, file and start line.
//   - has_functions tells viewers not to look for names. So the unnamed locations of a file
//     lie under a second entry of the same file, without the flags.
//   - The first mapping is the main binary.
//   - Strings are UTF-8. Other bytes, which symbol tables may contain, become U+FFFD.
//   - A duration makes Parca read a profile as a delta, so it is 0 unless the caller sets it.
//   - A sample has at most one label with a key, whether text or number.
//
// Equal calls write equal bytes: everything is numbered and written in the order of the calls.
//
// # Errors
//
// Sample and Close return the first error of the writer, which is not called again after it. A short write without an error
// is an error too, and so is an invalid header.
//
// What is deliberately absent: reading profiles (github.com/google/pprof/profile does), naming addresses, merging samples
// of equal stacks (readers add them up), drop_frames (servers ignore them).
package pprof
