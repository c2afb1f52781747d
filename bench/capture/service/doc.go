// Command service does the kind of work that services do through C: SQLite inserts and selects, zstd, a C++ JSON parser. It
// prints a line for each: nanoseconds per operation, by the wall clock and of all processors' time.
//
// It needs the headers of zstd and of nlohmann's JSON library (Debian: libzstd-dev, nlohmann-json3-dev), so it is built
// only with the tag `service`, and with the tag `without` as well it is built without cgoheap.
package main
