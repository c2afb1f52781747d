package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each function of the families that libraries bring along is called by a row of the matrix: ../core has a way for it.
func TestEveryFunctionOfAFamilyIsCalled(t *testing.T) {
	header, err := os.ReadFile("../../cgo/family_brought.h")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("../core/brought.c")
	if err != nil {
		t.Fatal(err)
	}
	var ways string // and what they call; the other lines are declarations
	for line := range strings.Lines(string(program)) {
		if strings.HasPrefix(line, "\t") {
			ways += line
		}
	}
	for family, prefix := range map[string]string{"JEMALLOC": "je_", "TCMALLOC": "tc_", "MIMALLOC": "mi_"} {
		_, rows, found := strings.Cut(string(header), "#define FAMILY_"+family+"(X) \\\n")
		rows, _, _ = strings.Cut(rows, "\n\n")
		names := regexp.MustCompile(`(?m)^\tX\([A-Z]+, \w+, [^,]+, (\w+), \(`).FindAllStringSubmatch(rows, -1)
		if !found || len(names) != strings.Count(rows, "X(") {
			t.Fatalf("of %s, %d rows of %d were understood", family, len(names), strings.Count(rows, "X("))
		}
		for _, name := range names {
			if !strings.Contains(ways, prefix+name[1]+"(") {
				t.Errorf("%s%s is called by no way of ../core/brought.c", prefix, name[1])
			}
		}
	}
}
