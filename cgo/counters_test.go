//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/layout"
)

func TestEachCounterHasItsOwnNameAndASentence(t *testing.T) {
	names := map[string]bool{}
	for i, c := range Counters() {
		if c.Name == "" || c.Sentence == "" || names[c.Name] {
			t.Errorf("counter %d is %+v", i, c)
		}
		names[c.Name] = true
	}
	for at, name := range map[int]string{
		layout.CountStacks: "stacks", layout.CountSites: "sites", layout.CountEnd: "stacks_complete",
		layout.CountEnd + layout.Ends - 1: "stacks_cut_no_file",
	} {
		if got := Counters()[at].Name; got != name {
			t.Errorf("counter %d is %s, want %s", at, got, name)
		}
	}
}
