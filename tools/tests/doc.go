// Command tests runs go test in one module after another, prints the lines that go test prints, and ends with a count of
// the tests that were skipped, by reason.
//
//	tests [flags] FOLDER... -- ARGUMENTS OF GO TEST
//	tests [flags] -command NAME -- PROGRAM ARGUMENTS
//	tests [flags] -sum FILE
//
// A reason must be in reasons.txt, which has a sentence for each; the command fails on any other. Some of the reasons there
// are allowed only where not everything is installed; with -complete, the command fails on these too.
//
// With -at-once 2, two folders are tested at a time. What they print stays in the folders' order.
//
// With -but "./a ./b", these packages of the first folder are left out: another run tests them.
//
// With -again 20, a failed test runs 20 times more: first with its whole package, then alone. If it passes each time, the command
// succeeds, and ends with a line FLAKY that names it and with what it printed. None runs again if more than 10 tests failed, nor
// one whose failure is no chance (again.go has what proves that). All these runs together end after -limit, 15 minutes: what then
// has not passed so often has failed. So a test that takes more than 45 s can never be flaky.
//
// With -command, that goes for a program that is a test, such as those in C. Its first run ends after -timeout, an hour, and has
// then failed. There, each program has the 15 minutes for itself.
//
// With -repeat 50, all tests run 50 times, half of them as with -busy, and a table says which failed, and how often. -again means
// nothing then.
//
// With -record, the counts are added to a file, so that -sum can count over many runs.
//
// With -busy, two threads per processor compute while the tests run. No test may depend on how fast it runs.
package main
