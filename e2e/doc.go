// Package e2e tests the whole way from malloc to a named profile, in a module of its own because its programs need SQLite.
//
// The program exact allocates known amounts at known places and writes two files: the profile, and what it knows itself.
// The tests build it in every way that a service is built (plain, stripped, PIE, race), run it, and hold the two against
// each other, number by number and frame by frame; then they hold the names against addr2line. SQLite's amounts come
// from a second road, an allocator of SQLite's own that counts and passes on. Package estimate does the same for what is
// known only on average, and the walks test for single stacks. Command matrix runs the program core, which judges itself,
// on every platform and kind of host that the machine can be. Program brink dumps in a memory control group that is nearly full.
package e2e
