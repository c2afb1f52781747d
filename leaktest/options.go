package leaktest

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/symbolize"
)

// Option changes what Check counts as a leak.
type Option func(*options)

type options struct {
	ignored     []string // names of functions, or beginnings of names followed by *
	unreachable bool
	patience    time.Duration
}

// patience is how long a leak must last. Work that a test has begun may still be ending in other goroutines and threads.
const patience = time.Second

func newOptions(list []Option) options {
	o := options{patience: patience}
	for _, option := range list {
		option(&o)
	}
	return o
}

// IgnoreFunction leaves out blocks with a function of one of these names in their stack, at any depth. A name must be equal to
// the one that the failure prints, or to the linker's name; one that ends with * matches all names that begin so. A function
// of C that Go calls also has the name C.NAME, even where the names of C functions are missing.
func IgnoreFunction(names ...string) Option {
	return func(o *options) { o.ignored = append(o.ignored, names...) }
}

// UnreachableOnly has Check count only blocks that nothing in the program's memory was found to point to: no caches, and nothing that a library
// allocates once and keeps. A copy of the process looks for pointers, after a tenth of a second, if the test leaves anything; see
// docs/reach.md for the pointers that it does not see, and for the words that it takes for one: with this option a Check can
// miss a leak. Where the process cannot be copied, the test is not checked, and Check logs why.
func UnreachableOnly() Option {
	return func(o *options) { o.unreachable = true }
}

// ignores reports whether the options leave out a stack.
func (o *options) ignores(lines []symbolize.Line) bool {
	for _, name := range o.ignored {
		for i := range lines {
			if matches(name, lines[i].Function) || matches(name, lines[i].SystemName) {
				return true
			}
		}
	}
	return false
}

func matches(pattern, name string) bool {
	if start, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, start)
	}
	return name == pattern && name != ""
}

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
