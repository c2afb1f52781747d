// Package terminal is what a command needs of a terminal: its size, its keys, a screen that is redrawn, and text that is safe on it.
//
// Names of functions and answers of servers are foreign text. A terminal obeys escape sequences in what is printed, so none may
// get there: Plain escapes all that is not to be seen as itself, and Writer does so for whatever is written through it. Only
// this package writes sequences of its own, around text that is plain already.
//
// Everything is put back when a Screen is closed, also after a signal: it never leaves a terminal without echo or cursor.
package terminal
