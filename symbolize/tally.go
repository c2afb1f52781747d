package symbolize

import "github.com/cgoheap/cgoheap/stack"

// Tally counts addresses by what is missing from their names. The zero value is empty.
type Tally struct {
	Unnamed [reasons]uint64 // by why they have no name
	Poor    [reasons]uint64 // by why they have only a symbol's, or lack inlined calls or lines
}

// Add counts one address; one from whose name nothing is missing counts for nothing.
func (t *Tally) Add(r Result) {
	if r.Reason > Named && r.Reason < reasons {
		t.Unnamed[r.Reason]++
	}
	if r.Lack > Named && r.Lack < reasons {
		t.Poor[r.Lack]++
	}
}

// Include adds what another tally has counted.
func (t *Tally) Include(other *Tally) {
	for r := range reasons {
		t.Unnamed[r] += other.Unnamed[r]
		t.Poor[r] += other.Poor[r]
	}
}

// Losses are the counts above zero, in the order of the reasons, those of addresses without a name first.
func (t *Tally) Losses() (losses []stack.Loss) {
	for r, n := range t.Unnamed {
		if n > 0 {
			losses = append(losses, stack.Loss{Name: Reason(r).String(), Sentence: Reason(r).Sentence(), Count: n})
		}
	}
	for r, n := range t.Poor {
		if n > 0 {
			losses = append(losses, stack.Loss{
				Name:     "no lines because " + Reason(r).String(),
				Sentence: "Functions are named, inlined calls or lines are missing. " + Reason(r).Sentence(),
				Count:    n,
			})
		}
	}
	return losses
}
