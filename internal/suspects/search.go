package suspects

import (
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
)

// Cost is what it took to look for pointers.
type Cost struct {
	Stood time.Duration // for so long the program did
	Busy  time.Duration // processor time
}

// Look looks for pointers, and gives what it finds to Search.Learn. It gives up once ended is closed.
type Look func(ended <-chan struct{}) (Cost, error)

// Search has pointers looked for when that is wanted and some time has passed, and keeps what was found.
type Search struct {
	look  Look
	task  *background.Task
	ended chan struct{}

	mu      sync.Mutex // guards what follows
	known   map[uint64]Finding
	hidden  map[uint64]bool // stacks of which blocks were freed to which nothing was found that points
	when    time.Time       // when pointers were last looked for, by Search or others
	next    time.Time       // when Search may have it done again
	looking int
	failure error // of the last time
	stopped bool
}

// How often a Search has pointers looked for by itself, at most: not before so much time has passed, nor so many times as long as it
// took. share, of a Watch, is for processor time: half a percent of one.
const (
	again  = 10 * time.Minute
	stands = 10_000 // for the program standing still: a ten thousandth
)

// NewSearch returns one that does nothing until it is asked. A panic goes to failed.
func NewSearch(look Look, failed func(error)) *Search {
	s := &Search{look: look, ended: make(chan struct{})}
	s.task = background.New("the search for pointers", func() { _ = s.Now() }, failed)
	return s
}

// Ask has pointers looked for soon, unless that was done a while ago only. It does not wait.
func (s *Search) Ask() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped && s.looking == 0 && !time.Now().Before(s.next) {
		s.next = time.Now().Add(again)
		s.task.Ask()
	}
}

// comes has pointers looked for, and reports whether that is still to be done for the first time since then, within the time in which
// it is done once at most, and a little more.
func (s *Search) comes(since time.Time) bool {
	s.Ask()
	s.mu.Lock()
	defer s.mu.Unlock()
	latest := since.Add(again + shortest)
	return !s.stopped && !s.when.After(since) && time.Now().Before(latest) && (s.looking > 0 || !s.next.After(latest))
}

// Now looks for pointers.
func (s *Search) Now() error {
	begin, cost, err := time.Now(), Cost{}, error(nil)
	s.begin()
	defer func() { s.end(begin, cost, err) }()
	cost, err = s.look(s.ended)
	return err
}

func (s *Search) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looking++
}

func (s *Search) end(begin time.Time, cost Cost, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looking--
	s.when, s.failure = begin, err
	s.next = begin.Add(max(again, share*cost.Busy, stands*cost.Stood))
}

// mostKnown bounds the stacks of which something is known.
const mostKnown = 4 * mostStacks

// Learn replaces what is known by what was found at a time. holder names what has a number; nil if nobody knows: then each stack keeps
// the holder that it had.
func (s *Search) Learn(when time.Time, found map[uint64]*Found, holder func(number int) Holder) {
	weights := make(map[uint64]float64, len(found))
	for stack, f := range found {
		weights[stack] = growthCounts*f.lost.bytes + f.held.bytes
	}
	for _, stack := range beyond(weights, mostKnown) {
		delete(found, stack)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make(map[uint64]Finding, len(found))
	for stack, f := range found {
		switch before := s.known[stack]; {
		case holder != nil:
			known[stack] = f.finding(when, holder)
		case before.Open > 0: // which of the blocks are such is not known without names
			known[stack] = before
		default:
			known[stack] = f.finding(when, func(int) Holder { return before.Holder })
		}
	}
	s.known, s.when, s.failure = known, when, nil
}

// hides notes that blocks of a stack were freed to which nothing was found that points.
func (s *Search) hides(stack uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hidden == nil || len(s.hidden) >= mostKnown { // what is forgotten is learnt again
		s.hidden = make(map[uint64]bool)
	}
	s.hidden[stack] = true
}

// Of returns what is known of a stack; false if nothing is.
func (s *Search) Of(stack uint64) (Finding, bool) {
	if s == nil {
		return Finding{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, known := s.known[stack]
	f.Freed = s.hidden[stack]
	return f, known
}

// State returns when pointers were last looked for, zero if never, whether they are being looked for now, and why nothing was found
// the last time; nil if something was.
func (s *Search) State() (when time.Time, looking bool, failure error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.when, s.looking > 0, s.failure
}

// Stop ends it, also if it is nil. When it returns, its goroutine has ended.
func (s *Search) Stop() {
	if s == nil {
		return
	}
	s.mu.Lock()
	if !s.stopped {
		s.stopped = true
		close(s.ended)
	}
	s.mu.Unlock()
	s.task.End()
}
