// Command http is the least that a service needs to serve its native memory as profiles: one import, beside that of
// net/http/pprof. Its own work is to keep what it is sent, in C.
//
//	POST /notes  keeps the body
package main
