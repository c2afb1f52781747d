package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap"
)

// judgeSentences judges what suspects are told of who allocated, in a case that was seen once.
func (v *verdict) judgeSentences(o *observed) {
	subjects := make(map[string]bool)
	for i := range o.suspects {
		s := &o.suspects[i]
		subject, _, _ := strings.Cut(s.Sentence, ": ")
		v.fault(subjects[subject], "two suspects are called %s", subject)
		subjects[subject] = true
		v.judgeClaim(s)
	}
	for _, row := range o.truth {
		if row.Sentence != "" {
			v.judgeTold(o, row.Function, regexp.MustCompile(row.Sentence))
		}
	}
}

// judgeClaim knows what may not be said of any suspect: that what is held is lost, that it leaks, because it has not been seen to grow, and
// that it is lost for sure. Little may be so in truth: cases lose some that they do not count.
func (v *verdict) judgeClaim(s *cgoheap.Suspect) {
	name := allocatorOf(s)
	said := strings.Contains(s.Sentence, ": lost")
	v.fault(said && fate(name) == kept && s.Bytes > remains, "of %s it is said: %s", name, s.Sentence)
	v.fault(said && !strings.Contains(s.Sentence, ": lost, or its pointers are hidden"), "without proof: %s", s.Sentence)
	v.fault(strings.Contains(s.Sentence, ": a leak"), "seen once: %s", s.Sentence)
}

func (v *verdict) judgeTold(o *observed, function string, sentence *regexp.Regexp) {
	told := false
	for i := range o.suspects {
		if s := &o.suspects[i]; allocatorOf(s) == function {
			told = true
			v.fault(!sentence.MatchString(s.Sentence), "of %s, %q is expected: %s", function, sentence, s.Sentence)
		}
	}
	v.fault(!told, "%s is among no suspects", function)
}

// allocatorOf returns the innermost function of a case's on a suspect's stack.
func allocatorOf(s *cgoheap.Suspect) string {
	if i := slices.IndexFunc(s.Stack, func(frame string) bool { _, ok := function(frame); return ok }); i >= 0 {
		name, _ := function(s.Stack[i])
		return name
	}
	return elsewhere
}
