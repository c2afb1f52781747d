package check

import "fmt"

// Severity is how bad a fault is.
type Severity uint8

// The severities. An Error is refused or misread by at least one reader, which the rule's sentence names. A Warning is read,
// but costs something, or shows less than it could.
const (
	Warning Severity = iota
	Error
)

func (s Severity) String() string {
	if s == Error {
		return "error"
	}
	return "warning"
}

// Rule is a rule that a good profile keeps.
type Rule struct {
	Name     string
	Severity Severity
	Sentence string // what is wrong, and the consequence
}

// Fault is a rule that a profile breaks.
type Fault struct {
	Rule
	Where string // the first position, such as "sample[3].label[0]"; numbers are indexes, from 0
	Count int    // how many positions there are
}

// String returns the fault in one line.
func (f Fault) String() string {
	text := fmt.Sprintf("%v %s: %s: %s", f.Severity, f.Name, f.Where, f.Sentence)
	if f.Count > 1 {
		text += fmt.Sprintf(" (%d times)", f.Count)
	}
	return text
}

// faults holds at most one Fault of each rule, however broken the profile is.
type faults [ruleCount]Fault

// found records a position that breaks a rule. Only the first one is formatted.
func (f *faults) found(r ruleID, where string, args ...any) {
	if f[r].Count == 0 {
		f[r] = Fault{Rule: rules[r], Where: fmt.Sprintf(where, args...)}
	}
	f[r].Count++
}

func (f *faults) list() (list []Fault) {
	for i := range f {
		if f[i].Count > 0 {
			list = append(list, f[i])
		}
	}
	return list
}
