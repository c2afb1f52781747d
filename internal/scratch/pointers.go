package scratch

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// The garbage collector does not look into scratch memory. An object that only a pointer there refers to would be freed
// while it is in use, and its memory reused. So values that hold pointers are never mapped: they come from Go's heap.

// heaped records for each type that was asked for whether its values hold pointers.
var heaped sync.Map

// holdsPointers reports whether values of type T hold pointers.
func holdsPointers[T any]() bool {
	t := reflect.TypeFor[T]()
	if known, ok := heaped.Load(t); ok {
		return known.(bool)
	}
	found := pointersIn(t)
	heaped.Store(t, found)
	return found
}

func pointersIn(t reflect.Type) bool {
	switch kind := t.Kind(); {
	case kind <= reflect.Complex128: // numbers, and bool
		return false
	case kind == reflect.Array:
		return t.Len() > 0 && pointersIn(t.Elem())
	case kind == reflect.Struct:
		for i := range t.NumField() {
			if pointersIn(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}

// Heaped returns the names of the types with pointers that were asked for until now. Their values take Go's heap, which
// scratch memory is meant to spare. For tests.
func Heaped() []string {
	var names []string
	heaped.Range(func(t, holds any) bool {
		if holds.(bool) {
			names = append(names, t.(reflect.Type).String())
		}
		return true
	})
	slices.SortFunc(names, strings.Compare)
	return names
}
