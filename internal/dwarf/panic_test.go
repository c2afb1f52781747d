package dwarf

import (
	"errors"
	"strings"
	"testing"
)

// exploding is a Source that panics.
type exploding struct{}

func (exploding) Section(string) (Section, error) { panic("boom") }

func TestPanicOfASourceIsAnError(t *testing.T) {
	if _, err := Open(Program{Source: exploding{}}); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Error(err)
	}
}

// A panic must not leave others waiting for jobs, or to hand them out.
func TestPanicOfAWorkerIsDamage(t *testing.T) {
	s := &search{Data: &Data{file: &file{}}, jobs: make(chan job)}
	finished := make(chan struct{})
	go func() {
		s.work()
		close(finished)
	}()
	for order := range 3 {
		s.jobs <- job{order: order, wants: []int32{7}} // there is no such address
	}
	close(s.jobs)
	<-finished
	if err := errors.Join(s.damage); err == nil || !strings.Contains(err.Error(), "panicked") || s.damaged != 0 {
		t.Errorf("%v, unit %d", err, s.damaged)
	}
}
