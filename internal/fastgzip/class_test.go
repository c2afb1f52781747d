package fastgzip

import "testing"

// checkClasses compares classes with a table of RFC 1951, 3.2.5: their extra bits, and where the first begins.
func checkClasses(t *testing.T, symbol, first int, extras []int, of func(value uint16) *class) {
	t.Helper()
	for _, extra := range extras {
		for value := first; value < first+1<<extra; value++ {
			want := class{uint16(symbol), uint16(extra), uint16(first)}
			if got := *of(uint16(value)); got != want {
				t.Errorf("%d is in %+v, want %+v", value, got, want)
			}
		}
		symbol, first = symbol+1, first+1<<extra
	}
}

func TestClassesAreThoseOfTheStandard(t *testing.T) {
	lengths := []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5}
	checkClasses(t, 257, 3, lengths, lengthClass)
	for length := uint16(227); length < 258; length++ { // the last class with extra bits lacks its last value
		if got := *lengthClass(length); got != (class{284, 5, 227}) {
			t.Errorf("%d is in %+v", length, got)
		}
	}
	if got := *lengthClass(258); got != (class{285, 0, 258}) {
		t.Errorf("258 is in %+v", got)
	}
	distances := []int{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
	checkClasses(t, 0, 0, distances, distanceClass)
}
