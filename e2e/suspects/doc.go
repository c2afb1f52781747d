// Command suspects is a service that allocates a gigabyte a second in C, with caches, sessions and, after a while, a leak: by
// hand, it shows in real time what internal/suspects tests in compressed time. Every minute it prints the first of the
// suspects.
//
//	go run ./suspects -minutes 12          the leak of 1 MiB a minute must be the first within ten minutes
//	go run ./suspects -minutes 60 -leak 0  nothing may grow
//
// It ends with status 1 if not.
package main
