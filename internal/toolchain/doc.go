// Package toolchain finds, for tests, the compilers and binutils of each machine that a recording can run on, and runs
// what they built. So one test holds for all machines: programs for other machines than this one are cross-compiled, and an
// emulator runs them.
//
// A test binary that itself runs under an emulator asks Target for its own machine's toolchain; that is how `make arm64`
// runs the tests of the core. A test that runs on this machine takes the machine for the programs that it builds and runs
// from the environment variable GOARCH.
package toolchain
