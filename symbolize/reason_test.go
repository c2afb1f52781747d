package symbolize

import (
	"testing"
	"time"
)

func TestWhatHasNoNameIsCountedWhileNamesAreLookedUp(t *testing.T) {
	s := New(Options{})
	s.mu.Lock() // as Resolve does until it has read all files
	defer s.mu.Unlock()
	counted := make(chan int)
	go func() {
		s.Note(MissingCounts{Unnamed: [reasons]uint64{Stripped: 3}})
		counted <- len(s.Losses())
	}()
	select {
	case n := <-counted:
		if n != 1 {
			t.Errorf("%d losses", n)
		}
	case <-time.After(10 * time.Minute): // only a wait without end takes so long
		t.Fatal("whoever counts waits for names")
	}
}

func TestWhatHasNoNameOrAPoorOneIsCountedAndNothingElse(t *testing.T) {
	var missing MissingCounts
	for _, r := range []Reason{named, Stripped, debugTooBig, debugTooBig, reasons} {
		missing.Add(Result{Reason: r})
	}
	missing.Add(Result{Lack: NeedsSplit})
	losses := missing.losses()
	if len(losses) != 3 || losses[0].Count != 1 || losses[1].Count != 2 || losses[1].Name != debugTooBig.String() {
		t.Error(losses)
	}
	if poor := losses[len(losses)-1]; poor.Count != 1 || poor.Name != "no lines because "+NeedsSplit.String() {
		t.Error(poor)
	}
}
