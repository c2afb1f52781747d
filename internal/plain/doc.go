// Package plain makes text of foreign bytes that a terminal and a reader of UTF-8 can be given. Names come from binaries, labels and
// services, which may hold any bytes: an escape sequence in a name would be obeyed by the terminal that curl prints it to. All text
// for people goes through here: what the handlers answer, and what the command prints.
package plain
