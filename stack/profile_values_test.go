package stack

import (
	"reflect"
	"testing"
)

// each has n in all of its fields.
func each(n int64) (v Values) {
	fields := reflect.ValueOf(&v).Elem()
	for i := range fields.NumField() {
		fields.Field(i).SetInt(n)
	}
	return v
}

func profileOf(id uint64, v Values) *Profile { return &Profile{Samples: []Sample{{ID: id, Values: v}}} }

// A field that is added to Values must be added to all that computes with them.
func TestEveryValueCounts(t *testing.T) {
	sum, raised := each(1), each(1)
	sum.Add(each(2))
	raised.raise(each(2))
	if sum != each(3) || raised != each(2) {
		t.Errorf("the sum is %+v, raised is %+v", sum, raised)
	}
	b := NewBaseline(profileOf(1, each(1)))
	delta := reflect.ValueOf(b.Delta(profileOf(1, each(3))).Samples[0].Values)
	growth := reflect.ValueOf(b.Growth(profileOf(1, each(3))).Samples[0].Values)
	gone := reflect.ValueOf(NewBaseline(profileOf(0, each(1))).Growth(&Profile{}).Samples[0].Values)
	for i := range delta.NumField() {
		got := [3]int64{delta.Field(i).Int(), growth.Field(i).Int(), gone.Field(i).Int()}
		if allocated, inUse := [3]int64{2, 0, 0}, [3]int64{3, 2, -1}; got != allocated && got != inUse {
			t.Errorf("%s: the delta, the growth and what is gone are %d, want %d or %d", delta.Type().Field(i).Name, got, allocated, inUse)
		}
	}
}
