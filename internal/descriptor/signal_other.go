//go:build !linux

package descriptor

// Quietly makes a call.
func Quietly(call func() error) error { return call() }
