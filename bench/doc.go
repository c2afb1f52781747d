// Package bench measures cgoheap against others on equal content. It is a module of its own, so that nobody who uses
// cgoheap downloads the others.
//
// `go test -bench .` in this folder prints a table for each contest. In a contest all take turns, round by round, so that
// whatever else the machine does hits everyone; the medians are printed. Before each turn the garbage collector runs,
// which empties the pools of those who have some: in a service, minutes pass between two profiles.
//
// Command names measures how addresses are named, and command capture what recording costs. Package callgrind counts the
// instructions of capture's hot paths.
//
// The tests parse what each contestant writes and compare the numbers of samples and frames and the sums of all values.
// `go test` runs them on fewer stacks, each contest on all of them before it begins.
//
// What is deliberately absent: thresholds of time. Timing decides no test.
package bench
