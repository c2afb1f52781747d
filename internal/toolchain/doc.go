// Package toolchain finds, for tests, the compilers and binutils of each machine that a recording can run on, and runs
// what they built. So one test holds for all machines: those of other machines than this one are cross-compiled, and an
// emulator runs them.
//
// A test binary that itself runs under an emulator asks Target for its own machine's, which is how `make arm64` runs the
// tests of the core. One that stays on this machine is told by the environment, GOARCH, what the programs that it builds
// and runs are for.
package toolchain
