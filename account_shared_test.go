package cgoheap

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
)

// Fifty ask while an account is taken. All of them share the next one.
func TestAccountsAtOnceAreShared(t *testing.T) {
	const callers = 50
	var s accounts
	var taken, atOnce atomic.Int64
	begun, release := make(chan bool), make(chan bool)
	take := func(a *takenAccount) {
		if atOnce.Add(1) > 1 {
			t.Error("two are taken at once")
		}
		defer atOnce.Add(-1)
		if taken.Add(1) == 1 {
			close(begun)
			<-release
		}
		a.account, a.err = &account.Account{Time: time.Unix(taken.Load(), 0)}, nil
	}
	var all sync.WaitGroup
	get := func(want int64) {
		all.Go(func() {
			if a := s.get(take); a.err != nil || a.account.Time.Unix() != want {
				t.Errorf("account %d, want %d, %v", a.account.Time.Unix(), want, a.err)
			}
		})
	}
	get(1)
	<-begun
	for range callers {
		get(2)
	}
	for waiting := 0; waiting < callers-1; runtime.Gosched() {
		s.Lock()
		if s.next != nil {
			waiting = s.next.waiting
		}
		s.Unlock()
	}
	close(release)
	all.Wait()
	if n := taken.Load(); n != 2 {
		t.Errorf("%d accounts were taken", n)
	}
	get(3)
	all.Wait()
}

// Nobody waits for ever if one fails, and the next one is taken.
func TestAnAccountThatFailsLetsOthersGoOn(t *testing.T) {
	var s accounts
	func() {
		defer func() { _ = recover() }()
		s.get(func(*takenAccount) { panic("a fault") })
	}()
	refused := errors.New("refused")
	if a := s.get(func(a *takenAccount) { a.err = refused }); !errors.Is(a.err, refused) {
		t.Error(a.err)
	}
}
