//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/gospans"
)

// fieldsOf returns the names of a structure's fields without underscores, in lower case, with their offsets and sizes.
func fieldsOf(s reflect.Type, prefix string, at uintptr) (list []any) {
	for i := range s.NumField() {
		f := s.Field(i)
		name := prefix + strings.ReplaceAll(strings.ToLower(f.Name), "_", "")
		if f.Type.Kind() == reflect.Struct {
			list = append(list, fieldsOf(f.Type, name+".", at+f.Offset)...)
		} else {
			list = append(list, name, at+f.Offset, f.Type.Size())
		}
	}
	return list
}

// What Go has found of the layout of its memory is given to C as it is.
func TestBothLanguagesHaveTheSameLayoutOfGosMemory(t *testing.T) {
	inGo, inC := fieldsOf(reflect.TypeFor[gospans.Layout](), "", 0), fieldsOf(reflect.TypeOf(layout(gospans.Layout{})), "", 0)
	common := len(inC) - 2*3 // C has readable and readable_arg behind them
	if len(inC) < 60 || len(inGo) < common || !reflect.DeepEqual(inC[:common], inGo[:common]) {
		t.Errorf("C has %v\nGo has %v", inC, inGo)
	}
}
