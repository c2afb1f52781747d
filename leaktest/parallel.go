package leaktest

import (
	"reflect"
	"testing"
)

// isParallel reports whether other tests may run at the same time: t.Parallel was called in the test or in one that it is a subtest
// of. Package testing tells nobody, so its fields are read. Where they cannot be found, the answer is the cautious one, true.
func isParallel(t testing.TB) bool {
	v := reflect.ValueOf(t)
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return false // the outermost test has no parent
		}
		v = v.Elem()
		if v.Kind() != reflect.Struct {
			continue
		}
		own, parent, wrapped := v.FieldByName("isParallel"), v.FieldByName("parent"), v.FieldByName("TB")
		switch {
		case own.Kind() == reflect.Bool && parent.Kind() == reflect.Pointer:
			if own.Bool() {
				return true
			}
			v = parent
		case wrapped.Kind() == reflect.Interface: // a testing.TB of somebody else's around one of package testing
			v = wrapped
		}
	}
	return true
}
