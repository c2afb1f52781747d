package leaktest

import (
	"reflect"
	"testing"
)

// isParallel reports whether other tests may run at the same time: t.Parallel was called in the test or in one that it is a
// subtest of. Package testing tells nobody, so its fields are read. Where they cannot be found, the answer is the cautious one,
// true.
func isParallel(t testing.TB) bool {
	v := reflect.ValueOf(t)
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return true
	}
	if wrapped, ok := v.Type().FieldByName("TB"); ok && wrapped.Type == reflect.TypeFor[testing.TB]() {
		v = v.FieldByName("TB") // somebody else's testing.TB around one of package testing
		return v.IsNil() || isParallel(v.Interface().(testing.TB))
	}
	for {
		own, parent := v.FieldByName("isParallel"), v.FieldByName("parent")
		if own.Kind() != reflect.Bool || own.Bool() || parent.Kind() != reflect.Pointer || parent.Type().Elem().Kind() != reflect.Struct {
			return true
		}
		if parent.IsNil() {
			return false
		}
		v = parent.Elem()
	}
}
