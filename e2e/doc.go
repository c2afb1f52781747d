// Package e2e tests the whole way from malloc to a named profile, in a module of its own because its programs need SQLite.
//
// The programs allocate known amounts at known sites, and package truth compares profiles with them: numbers and stacks.
// Package toolchain builds each program once.
//
//	exact    writes the profile and what it knows itself, in every way that a service is built: plain, stripped, PIE, race.
//	         The tests compare them, and then the names with addr2line. SQLite's amounts come from a second road, an
//	         allocator of SQLite's own that counts and passes on.
//	core     judges itself. Command matrix builds and runs it for every platform and host that the machine can be.
//	plugged  judges a plugin that is opened while it records; package guest is the plugin.
//	stress   judges itself while threads, signals, libraries and children come and go.
//	suspects prints what grows, by hand.
//	device   compares what is recorded of CUDA's devices with what the driver says, on a machine with a card or with a stand-in.
//	brink    dumps in a memory control group that is nearly full.
//
// Package estimate compares what is known only on average, and the tests of walks compare single stacks. Command foreign
// runs the tests of other projects with and without the profiler.
//
// With -short, a test of each kind is run; the others say that they are long.
package e2e
