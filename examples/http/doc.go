// Command http shows the least that a service needs to serve profiles of its native memory: one import, beside
// net/http/pprof's. Its own work is to keep the notes that it receives, in C.
//
//	POST /notes  keeps the body
package main
