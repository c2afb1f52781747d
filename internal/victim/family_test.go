//go:build linux && cgo

package victim_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// family returns the names of the hooked functions that free, and of those that allocate.
func family(t *testing.T) (free, allocate []string) {
	t.Helper()
	header, err := os.ReadFile("../../cgo/family.h")
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(header), "#define FAMILY_FOUND")
	for _, row := range regexp.MustCompile(`(?m)^\tX\(([A-Z]+), [^,]+, (\w+),`).FindAllStringSubmatch(text, -1) {
		if row[1] == "TAKES" {
			free = append(free, row[2])
		} else {
			allocate = append(allocate, row[2])
		}
	}
	if len(free) == 0 || len(allocate) == 0 {
		t.Fatalf("%d functions that free and %d that allocate", len(free), len(allocate))
	}
	slices.Sort(free)
	slices.Sort(allocate)
	return free, allocate
}

// Each hook is tested on what is here: a function that is missing here has a hook that no test calls.
func TestEveryHookedFunctionIsCalled(t *testing.T) {
	var free, allocate []string
	for _, r := range victim.Releases() {
		free = append(free, r.Name)
	}
	for _, w := range victim.Ways() {
		allocate = append(allocate, w.Name)
	}
	slices.Sort(free)
	slices.Sort(allocate)
	wantFree, wantAllocate := family(t)
	if !slices.Equal(free, wantFree) {
		t.Errorf("functions that free: %q, in family.h %q", free, wantFree)
	}
	if !slices.Equal(allocate, wantAllocate) {
		t.Errorf("functions that allocate: %q, in family.h %q", allocate, wantAllocate)
	}
}
