// Command matrix builds the program core in each way that a service is built, runs it on each kind of host that this
// machine can be, and prints a table: the row, what it was built with, and whether it recorded everything exactly, or
// refused for the expected reason. A row that cannot be tried here prints what it lacks; if a row fails, the command fails.
// Its arguments are parts of rows' names: only those rows are run then.
//
// A row is a build and a host (rows.go; those that an emulator runs: rows_emulated.go). To add a platform, add a build with its compiler and,
// if an emulator runs it, a host that puts the emulator before the program. docs/reliability.md names each row.
package main
