// Package garbage keeps the garbage of a profile from staying resident in a small Go heap.
//
// The demangler leaves two kilobytes of garbage for a long name, and a first profile needs thousands of names. The collector
// lets any heap grow to four megabytes before it begins, and what the heap has grown by stays resident for minutes. Profiles
// are taken when memory is nearly used up: then that garbage can exceed the container's limit.
//
// So Go's heap is collected after each megabyte of this garbage. And if more than two megabytes were allocated while a profile
// was written, for names, files or the compressor, what is free goes back to the kernel afterwards. The same happens before the
// debug data of a module is read, which takes megabytes beside Go's heap. All of it happens only where the collector has little
// to scan, so that a collection takes less time than the profile did. In a larger heap the garbage is lost among the program's
// own.
package garbage
