package layout

import "testing"

func TestEachCounterHasItsOwnNameAndASentence(t *testing.T) {
	names := map[string]bool{}
	for i, c := range Counters {
		if c.Name == "" || c.Sentence == "" || names[c.Name] {
			t.Errorf("counter %d is %+v", i, c)
		}
		names[c.Name] = true
	}
	for at, name := range map[int]string{
		CountStacks: "stacks", CountSites: "sites", CountEnd: "stacks_complete",
		CountEnd + Ends - 1: "stacks_cut_no_room",
	} {
		if got := Counters[at].Name; got != name {
			t.Errorf("counter %d is %s, want %s", at, got, name)
		}
	}
}
