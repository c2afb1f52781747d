// Package hunt has four services for a hunt by the page alone, each in a folder: who holds the memory, and why?
//
//	orders     a slow leak, beside a ring that is full, a search that frees all, and checkouts
//	tiles      a cache that only looks like a leak: it is full after an hour
//	telemetry  churn: 300 MiB a second, and nothing that stays
//	media      memory that is mapped directly, and never malloc's
//
// Each puts load on itself. docs/measurements/hunt.md has what was seen. To play:
//
//	CGOHEAP_SUSPECTS=true CGOHEAP_TIMELINE=true go run ./hunt/orders, in e2e/page
//
// and then http://localhost:8181/debug/cgoheap/ (8182, 8183, 8184 for the others, in that order).
package hunt
