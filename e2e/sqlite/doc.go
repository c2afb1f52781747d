// Package sqlite examines, from the C side, the SQLite that go-sqlite3 links into a program: how much it allocates, and
// whether its stacks can be walked.
package sqlite
