// Package leaktest fails a test that leaves memory of C or C++ behind. It is for packages that call C through cgo.
//
//	func TestOpen(t *testing.T) {
//		leaktest.Check(t)
//		db, err := Open("file") // without db.Close:
//		...
//
//	leaktest: 1 block of 4096 bytes, allocated in this test, in use at its end:
//	    1 block of 4096 bytes
//	        open_cache  db.c:15
//	        db_open  db.c:27
//	        C.db_open  _cgo_gotypes.go:42
//	        db.Open  db.go:20
//	        db.TestOpen  db_test.go:11
//	        ...
//
// Every allocation is recorded while a test with a Check runs: malloc and its family, operator new, and what libraries
// allocate. A leak is a block that was allocated in the test and is in use at its end, after garbage collection, finalizers and
// cleanups, and still is a second later. A test without a leak does not wait.
//
// # Names
//
// go test strips the program that it runs, and C functions then are db.test+0x1a340. go test -ldflags='-s=false -w=false' shows
// their names, files and lines, and so does a program that go test -c has written. Go functions always have names.
//
// # Memory that is allocated once
//
// Libraries allocate tables at their first use, and keep them. They would fail whichever test comes first. So use the library
// once before the tests, from TestMain or a package variable; what was allocated before a Check never counts:
//
//	func TestMain(m *testing.M) {
//		db, err := Open("warm")
//		...
//		db.Close()
//		os.Exit(m.Run())
//	}
//
// What remains is left out by IgnoreFunction, or by UnreachableOnly, with which only blocks count that nothing points to. What libc and Go's runtime keep by themselves never counts: threads, the
// environment, loaded libraries, lists of users and hosts, buffers of files, time zones, locales (kept.go has the list). A
// block that C reallocates in the test counts as allocated in it, so a table that a library keeps and enlarges is found, too.
//
// # Tests that run at the same time
//
// A Check in a test that runs alone answers for all blocks, those of C threads included; but a subtest with a Check of its own
// answers for itself. Where tests run in parallel, blocks belong to a test by the label of its goroutine, which the goroutines
// that it starts inherit. C threads have no labels, and code that calls runtime/pprof.Do replaces them: what is in use without
// a label beside parallel tests fails none of them, and is logged. Each allocation in a goroutine with a label takes some 9 µs
// longer.
//
// # Where it does nothing
//
// Linux on amd64 or arm64, with cgo, and without -asan and -msan: elsewhere, and in a program that already records, Check logs
// that it does not check, and the test passes. A test that itself calls cgoheap.Start gets ErrRunning.
package leaktest
