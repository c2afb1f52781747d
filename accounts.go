package cgoheap

import (
	"errors"
	"sync"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// looking is held by who looks at all pages of the process: one at a time, because each takes memory and a processor.
var looking sync.Mutex

// accounts lets callers of Account share:
//
//	one is taken        │ they ask, and wait │ one is taken for all of them │
//
// None has an account that was begun before it asked.
type accounts struct {
	sync.Mutex
	next *takenAccount // what waits for its turn; nil: nothing
}

// takenAccount is not changed once it is done.
type takenAccount struct {
	done    chan struct{}
	waiting int // for it, the one who takes it not included
	account *account.Account
	outside []usage.Part
	devices []AccountLine
	err     error
}

var errNotTaken = errors.New("the account was not finished")

// get returns an account that was begun after the call.
func (s *accounts) get(take func(*takenAccount)) *takenAccount {
	s.Lock()
	if a := s.next; a != nil {
		a.waiting++
		s.Unlock()
		<-a.done
		return a
	}
	a := &takenAccount{done: make(chan struct{}), err: errNotTaken}
	s.next = a
	s.Unlock()
	looking.Lock()
	defer looking.Unlock()
	defer close(a.done)
	s.Lock()
	s.next = nil
	s.Unlock()
	take(a)
	return a
}
