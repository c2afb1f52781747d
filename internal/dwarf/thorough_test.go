package dwarf

import "testing"

func TestUnitsWithTooManyListsToNoteAreLookedThroughAsAWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	defer func(limit int) { leftLimit = limit }(leftLimit)
	leftLimit = 0
	for _, flags := range [][]string{{"-g", "-O0"}, {"-g", "-O2"}} {
		path := compile(t, "g++", "shapes.cc", flags...)
		agree(t, path, everyByte(t, path, 3000))
	}
}
