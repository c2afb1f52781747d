// Package bench measures cgoheap against others on equal content. It is a module of its own, so that users of cgoheap do not
// download the others.
//
// `go test -bench .` in this folder prints a table for each contest. In a contest all take turns, round by round, so that
// other work on the machine affects all alike; the medians are printed. Before each turn the garbage collector runs, which
// empties pools: in a service, minutes pass between two profiles.
//
// Command names measures the naming of addresses, and command capture the cost of recording: their peers are in
// names/contender.go and capture/peers.go. Command account measures the account of RSS in a process of gigabytes, and
// command mappings what is added to a call of mmap, and command twin the copies that look for what
// holds a block. Package callgrind counts the instructions of the hot paths of recording.
//
// The tests parse each contestant's output and compare the numbers of samples and frames and the sums of all values. `go
// test` runs them on fewer stacks, each contest on all of them before it begins.
//
// Deliberately absent: thresholds of time. Timing decides no test.
package bench
