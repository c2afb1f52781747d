// Command foreign runs test suites of other projects twice, without cgoheap and with package auto imported, and compares
// the outcome of every test. Its arguments are names of suites (suites.go); with none, it runs all. With -race, all runs are
// under the race detector. It ends with a table, and exits with 1 if an outcome differs or a suite could not be run.
//
//	source: a suite's module, or Go's own tree
//	   ├── copy            the suite as it is:  go test -json ──┐
//	   └── copy + import   off, default, SampleBytes 1:         ├── outcome per test, compared
//	                       go test -json, once per mode ────────┘
//
// Suites come from the module cache and from GOROOT. Both are copied to a temporary directory; nothing of them is kept.
//
//   - A module gets a test file that imports auto, and its go.mod a require and a replace that lead to this tree.
//   - Go's own tests import internal packages, which only a tree of Go's may, and packages of that tree cannot import a
//     module. So the tree is copied, and cgoheap with what it imports becomes a part of the copy's standard library, below
//     the path "foreign/". The import follows `package main` on the same line, so that line numbers stay. Go's tests then
//     run as they are, with their own expectations.
//
// The import goes through a small package (testdata/witness.go.txt) that leaves a file for every process in which cgoheap
// records. A mode in which no process recorded, or one that recorded although it was off, fails: it would prove nothing.
//
// A test whose outcome differs runs again, alone, a fixed number of times on both sides. If both sides then have the same
// set of outcomes, it is a flake, and is reported by name with all its outcomes. Where a test is known as flaky by its own authors
// (known.go), that outcome does not make a difference, but must not be the only one.
//
// With -leaktest, the suites of modules are looked at in another way: each test begins with leaktest.Check, on the line of its
// first brace. The suite runs as it is, where no check may fail but for the leaks that suites.go lists with their reasons, and with
// one block left in one test, which must be the only other failure and name the function. It exits with 1 if not.
package main
