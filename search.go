package cgoheap

import (
	"cmp"
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/internal/guilty"
	"github.com/cgoheap/cgoheap/internal/holders"
	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/reach"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/suspects"
)

// SearchSuspects looks for what points to the blocks in use, for Suspects, and waits for it. A copy of the process does, as for
// ViewHeldBy: see docs/reach.md for what that costs. An error says why it was not made; what was known before stays known.
func (p *Profiler) SearchSuspects() error {
	if err := p.search.Now(); err != nil {
		return fmt.Errorf("cgoheap: %w", err)
	}
	return nil
}

// learner is told of what a copy of the process has found, and how the holders are called; nil if they were not named.
type learner func(*reach.Findings, *holders.Named) error

// learn keeps what was found, for suspects.
func (p *Profiler) learn(f *reach.Findings, named *holders.Named) error {
	var memory scratch.Memory
	defer memory.Free()
	number, name := func(int) int { return 0 }, (func(int) suspects.Holder)(nil)
	if named != nil {
		number = func(i int) int {
			if named.Cut != nil && named.Cut[i] > 0 {
				return len(named.Holders) + int(named.Cut[i]-1)
			}
			return int(named.Of[i])
		}
		name = func(number int) suspects.Holder {
			if number >= len(named.Holders) {
				return suspects.PoolOf(named.Pools[number-len(named.Holders)])
			}
			h := named.Holders[number]
			for _, pool := range named.Pools {
				if guilty.IsOfPool(cmp.Or(h.Root, h.Name), pool) {
					return suspects.PoolOf(pool)
				}
			}
			return suspects.Holder{Name: h.Name, Root: h.Root, Note: h.Note}
		}
	}
	found, err := f.ByStack(p.recording, &memory, registerHolds, number)
	if err == nil {
		unread := unreadComments(f)
		p.unread.Store(&unread)
		p.search.Learn(f.Time, found, name)
		p.alarm.Ask()
	}
	return err
}

// searchDeadline is how long a copy may look that nobody waits for.
const searchDeadline = 30 * time.Second

// look has a copy of the process look, and learns from it.
func (p *Profiler) look(ended <-chan struct{}) (cost suspects.Cost, err error) {
	defer p.recording.Reading()()
	var blocks, memory scratch.Memory
	defer blocks.Free()
	defer memory.Free()
	begin := time.Now()
	f, err := reach.Look(p.recording, &blocks, reach.Options{Kernel: running, Reach: true, Named: true, Deadline: searchDeadline, Ended: ended})
	if err != nil {
		return suspects.Cost{Busy: time.Since(begin)}, err
	}
	named, err := nameHolders(p.recording, &Selection{memory: &memory, names: p.names}, f)
	p.names.Compact()
	if err == nil {
		err = p.learn(f, named)
	}
	own := time.Since(begin) - f.Report.Took // at most
	return suspects.Cost{Stood: f.Report.Pause, Busy: own + f.Report.Busy}, err
}

// aboutSearch says when pointers were looked for, and why nothing was found if that is so.
func (p *Profiler) aboutSearch() string {
	when, looking, err := p.search.State()
	at := when.UTC().Format("15:04:05 MST")
	switch {
	case looking:
		return "what points to the blocks is being looked for: ask again\n"
	case err != nil:
		return fmt.Sprintf("it is not known whether anything points to the blocks: at %s, %v\n", at, err)
	case when.IsZero():
		return ""
	}
	text := fmt.Sprintf("what points to the blocks was looked for at %s; "+page.Folder+"suspects?search=1 does it again\n", at)
	if unread := p.unread.Load(); unread != nil {
		for _, note := range *unread {
			text += note + "\n"
		}
	}
	return text
}
