package symbolize

import "github.com/cgoheap/cgoheap/stack"

// Tally counts addresses by why they have no name. The zero value is empty.
type Tally [reasons]uint64

// Add counts one address; one that has a name counts for nothing.
func (t *Tally) Add(r Reason) {
	if r > Named && r < reasons {
		t[r]++
	}
}

// Losses are the counts above zero, in the order of the reasons.
func (t *Tally) Losses() (losses []stack.Loss) {
	for r, n := range t {
		if n > 0 {
			losses = append(losses, stack.Loss{Name: Reason(r).String(), Sentence: Reason(r).Sentence(), Count: n})
		}
	}
	return losses
}
