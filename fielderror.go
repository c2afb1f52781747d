package cgoheap

import "fmt"

// FieldError reports which field of a Config, a Selection or a DumpConfig is invalid, and why.
type FieldError struct {
	Field string // qualified: "Config.MaxDepth", "DumpConfig.HighWater.RSS"
	Err   error  // why: a sentence whose subject is the field, such as "is -1; it must be ..."
}

func (e *FieldError) Error() string { return "cgoheap: " + e.Field + " " + e.Err.Error() }
func (e *FieldError) Unwrap() error { return e.Err }

func invalid(field, format string, args ...any) error {
	return &FieldError{Field: field, Err: fmt.Errorf(format, args...)}
}
