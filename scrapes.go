package cgoheap

import (
	"errors"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
)

// An account takes 4 ms for each GiB, and somebody may scrape each second, or several at once. So scrapes share an account for
// as long as keeps all of them below half a percent of the time, and no scrape waits for one that hangs.

const (
	scrapeShare    = 200 // how many times as long as it took an account is shared
	leastShared    = time.Second * 5
	mostShared     = time.Minute
	scrapePatience = 2 * time.Second // after that a scrape has the account before
)

// scrapes is the account that scrapes share.
type scrapes struct {
	mu      sync.Mutex    // guards what follows
	account *Account      // the last one that could be taken
	err     error         // of the last attempt
	due     time.Time     // when the next one may be taken
	taking  chan struct{} // closed when the one that is being taken is done; nil: none is
}

var errNoAccount = errors.New("cgoheap: the account takes long, and there is none yet")

// get returns an account that is recent enough, or the error of the last attempt. A panic of take goes to failed.
func (s *scrapes) get(take func() (*Account, error), failed func(error)) (*Account, error) {
	if done := s.ask(take, failed); done != nil {
		patience := time.NewTimer(scrapePatience)
		defer patience.Stop()
		select {
		case <-done:
		case <-patience.C:
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.account == nil && s.err == nil {
		return nil, errNoAccount
	}
	return s.account, s.err
}

// ask has an account taken if one is due. It returns what is closed when that is done; nil if none is being taken.
func (s *scrapes) ask(take func() (*Account, error), failed func(error)) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taking == nil && !time.Now().Before(s.due) {
		s.taking = make(chan struct{})
		background.New("the account for a scrape", func() { s.take(take) }, failed).Ask()
	}
	return s.taking
}

func (s *scrapes) take(take func() (*Account, error)) {
	begin := time.Now()
	var account *Account
	err := errNotTaken // after a panic
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.account, s.err = account, err
		s.due = time.Now().Add(min(max(scrapeShare*time.Since(begin), leastShared), mostShared))
		close(s.taking)
		s.taking = nil
	}()
	account, err = take()
}

// forget drops the account: it is one of a recording that has ended.
func (s *scrapes) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account, s.due = nil, time.Time{}
}
