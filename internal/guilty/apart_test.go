package guilty

import "testing"

// As in an interpreter, whose functions call each other again and again, and in a library without lines whose functions use several wrappers.
func TestStacksThatDifferFarOutOrInAWrapperDoNotReadTheSame(t *testing.T) {
	stackOf := func(functions ...string) (lines []Place) {
		for _, f := range functions {
			lines = append(lines, Place{Line: Line{Function: f}})
		}
		return lines
	}
	stacks := [][]Place{
		stackOf("malloc", "object", "call", "eval", "call", "eval", "call", "load", "eval", "open_json"),
		stackOf("malloc", "object", "eval", "call", "eval", "call", "load", "open_json", "call", "eval"),
		stackOf("malloc", "object", "eval", "call", "call", "eval", "load", "open_json", "call", "eval"),
		stackOf("malloc", "object", "eval", "call", "call", "load", "eval", "eval", "open_csv", "eval"),
		stackOf("malloc", "object", "eval", "call", "call", "load", "eval", "call", "open_xml", "eval"),
		stackOf("malloc", "object", "eval", "call", "call", "load", "eval", "eval", "open_xml", "eval"),
		stackOf("realloc", "object", "eval", "call", "call", "load", "eval", "eval", "open_xml", "eval"),
	}
	names := make(map[string]int)
	for i, by := range Apart(stacks, func(int) int { return 1 }) {
		if j, taken := names[by]; taken {
			t.Errorf("%v and %v are both called `object`%s", stacks[j], stacks[i], by)
		}
		names[by] = i
	}
	for _, want := range []string{" for `open_csv`", " for `open_json` with `call` 1 call further out"} {
		if _, found := names[want]; !found {
			t.Errorf("%s is not in %v", want, names)
		}
	}
}
