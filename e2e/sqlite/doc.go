//go:build linux && cgo

// Package sqlite looks at the SQLite that go-sqlite3 links into a program, from the C side: how much it allocates, and
// whether its stacks can be walked.
package sqlite
