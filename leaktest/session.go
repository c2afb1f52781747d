package leaktest

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/stack"
)

// A session is a recording of every allocation, from the beginning of a check to the end of the last one that runs beside it.
//
//	sequential test ────────────── alone: all blocks are its own, but those that its subtests' checks have answered for
//	 ├─ subtest with a check ───── by label
//	 └─ subtest with a check ───── by label
//
//	parallel test with a check ─── by label
//	parallel test without ──────── its blocks have no label, and cannot be told from those of the C threads of others
//
// While a check is by label, its goroutine has the label "leaktest" with the check's number, and so have the goroutines that it
// starts.
type session struct {
	mu        sync.Mutex
	recording *alloc.Recording
	checks    map[uint64]*check // by number, of this recording, ended ones too
	running   []*check
	answered  map[uint64]bool // numbers of samples for which a check has answered
	last      uint64          // number of a check
}

var shared session

// check is one call of Check.
type check struct {
	session  *session
	number   uint64
	name     string // of the test
	parallel bool
	alone    bool // all blocks are its own
	judged   time.Time
	outer    *check // of the same test, or of one that this is a subtest of; nil if there is none
	options
}

const label = "leaktest"

var errRunning = errors.New("a profiler is running in this process: package auto is imported, unless CGOHEAP=off is set, " +
	"or the test has called cgoheap.Start")

// begin begins a check. It starts to record if nothing does.
func (s *session) begin(c *check) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.record(); err != nil {
		return err
	}
	s.last++
	c.session, c.number = s, s.last
	c.alone = !c.parallel && len(s.running) == 0
	for _, other := range s.running {
		if c.name == other.name || strings.HasPrefix(c.name, other.name+"/") {
			c.outer = other
		}
	}
	s.checks[c.number] = c
	s.running = append(s.running, c)
	if !c.alone {
		c.mark()
	}
	return nil
}

func (s *session) record() error {
	if len(s.running) > 0 {
		return nil
	}
	if err := s.stop(); err != nil {
		return err
	}
	recording, err := alloc.Start(alloc.Options{SampleBytes: 1, MaxDepth: maxDepth, TableBytes: tableBytes, Goroutines: true})
	if errors.Is(err, alloc.ErrRunning) {
		return errRunning
	}
	if err != nil {
		return err
	}
	s.recording, s.checks, s.answered = recording, make(map[uint64]*check), make(map[uint64]bool)
	return nil
}

const (
	maxDepth   = 512
	tableBytes = 128 << 20 // room for two million blocks in use; only what is used takes memory, but each look takes time for all of it
)

// stop ends the recording, if there is one. A thread may still be inside it; the next begin then tries again.
func (s *session) stop() error {
	if s.recording == nil {
		return nil
	}
	if err := s.recording.Stop(); err != nil {
		return fmt.Errorf("the recording before this one: %w", err)
	}
	s.recording = nil
	return nil
}

// freed returns how many blocks were freed since the recording began.
func (s *session) freed() uint64 {
	for _, l := range s.recording.Counted() {
		if l.Name == "frees" {
			return l.Count
		}
	}
	return 0
}

// end ends a check. Its goroutine has the labels again that it had, as far as they are leaktest's.
func (s *session) end(c *check) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.running {
		if other == c {
			s.running = append(s.running[:i:i], s.running[i+1:]...)
			break
		}
	}
	switch {
	case c.alone:
	case c.outer != nil && !c.outer.alone:
		c.outer.mark()
	default:
		pprof.SetGoroutineLabels(context.Background())
	}
	if len(s.running) == 0 {
		_ = s.stop() // begin reports it
	}
}

// mark gives the label to the calling goroutine.
func (c *check) mark() {
	labels := pprof.Labels(label, strconv.FormatUint(c.number, 10))
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), labels))
}

// claim is whose a block is.
type claim int

const (
	others  claim = iota // another check's, or answered for
	own                  // the check's
	unknown              // that of the check, or of a test beside it
)

// claims returns whose the blocks of a sample are.
func (s *session) claims(c *check, sample *stack.Sample) claim {
	s.mu.Lock()
	defer s.mu.Unlock()
	owner := s.checks[numberOf(sample)]
	switch {
	case s.answered[sample.ID]:
		return others
	case c.alone || owner.isWithin(c):
		return own
	case owner == nil && !c.hasOwner():
		return unknown
	}
	return others
}

// answer has a check that is around this one not answer for the sample.
func (s *session) answer(sample *stack.Sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answered[sample.ID] = true
}

// isWithin reports whether a check is another one or within it.
func (c *check) isWithin(other *check) bool {
	for ; c != nil; c = c.outer {
		if c == other {
			return true
		}
	}
	return false
}

// hasOwner reports whether a check around this one answers for blocks that have no label.
func (c *check) hasOwner() bool {
	for c = c.outer; c != nil; c = c.outer {
		if c.alone {
			return true
		}
	}
	return false
}

// numberOf returns the number of the check whose label a sample has; 0 if it has none.
func numberOf(sample *stack.Sample) uint64 {
	for _, l := range sample.Labels {
		if l.Key == label {
			number, _ := strconv.ParseUint(l.Text, 10, 64)
			return number
		}
	}
	return 0
}
