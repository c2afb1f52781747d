package main

import "testing"

// The short form of the command: a list that is lost and one that is kept, in C and in a map of Go's, and one that a number seems to hold.
func TestALostListAndAMapThatForgetsAreTold(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	todo, err := prepare(t.TempDir(), []string{"corpus/lists", "corpus/go_map", "corpus/go_number"})
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := try(todo, len(todo))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verdicts {
		for _, fault := range v.faults {
			t.Errorf("%s: %s", v.name, fault)
		}
	}
	if !verdicts[0].sanitized || verdicts[0].sanitizer.recall(inBytes) < 0.99 {
		t.Errorf("LeakSanitizer finds only %s of the list", percent(verdicts[0].sanitizer.recall(inBytes)))
	}
}

func TestProgramsThatAreNotThereAreNotFound(t *testing.T) {
	if _, err := prepare(t.TempDir(), []string{"none"}); err == nil {
		t.Error("a program that is not there was found")
	}
}
