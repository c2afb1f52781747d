// Package self returns the name of the running program, even if the program has changed its arguments.
package self
