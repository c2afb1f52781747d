// Package systemtest tests the profiler as its users have it: through the public package, on whole programs, libraries and
// tools. It has tests only. Tests that need more than the core's own dependencies are in the module e2e.
package systemtest
