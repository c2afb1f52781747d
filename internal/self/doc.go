// Package self knows what the running program is called, whatever it does to its arguments.
package self
