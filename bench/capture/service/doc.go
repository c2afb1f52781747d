// Command service is work as services do it, through C: SQLite inserts and selects, zstd, a C++ JSON parser. It prints a
// line for each: nanoseconds per operation, of the clock on the wall and of all processors' time.
//
// It needs the headers of zstd and of nlohmann's JSON library (Debian: libzstd-dev, nlohmann-json3-dev), so it is built
// only with the tag `service`, and with `without` as well it is without cgoheap.
package main
