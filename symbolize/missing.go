package symbolize

import "github.com/cgoheap/cgoheap/stack"

// MissingCounts counts addresses by what is missing from their names. The zero value is empty.
type MissingCounts struct {
	Unnamed [reasons]uint64 // by the reason for having no name
	Poor    [reasons]uint64 // by the reason for having only a symbol's, or lacking inlined calls or lines
}

// Add counts one address, unless nothing is missing from its name.
func (t *MissingCounts) Add(r Result) {
	if r.Reason > named && r.Reason < reasons {
		t.Unnamed[r.Reason]++
	}
	if r.Lack > named && r.Lack < reasons {
		t.Poor[r.Lack]++
	}
}

// Include adds what another has counted.
func (t *MissingCounts) Include(other *MissingCounts) {
	for r := range reasons {
		t.Unnamed[r] += other.Unnamed[r]
		t.Poor[r] += other.Poor[r]
	}
}

// losses returns the counts above zero, in the order of the reasons, addresses without a name first.
func (t *MissingCounts) losses() (losses []stack.Loss) {
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
