package symbolize

import (
	"time"
	"weak"

	"github.com/cgoheap/cgoheap/mappings"
)

// answerLimit bounds the addresses that are remembered. A profile has some thousands of them; one takes 24 bytes, and its share
// of a function's names about 100.
const answerLimit = 1 << 16

// idleLimit is how long answers are kept that nobody asks for. A hunt for a leak takes profiles minutes apart.
const idleLimit = 30 * time.Minute

// answers remembers what addresses are called, so that the next profile of the same process need not open its files
// again. When it is full it forgets everything: that costs one dump the time of the first.
type answers struct {
	modules map[moduleKey]*known
	count   int
	idle    *time.Timer // nil while there are none
}

// moduleKey tells files apart, as far as a module can.
type moduleKey struct {
	path, buildID string
	device, inode uint64
	deleted       bool
}

func keyOf(m *mappings.Module) moduleKey {
	return moduleKey{m.Path, m.BuildID, m.Device, m.Inode, m.Deleted}
}

// of gives the answers of a module, to be read and given to add.
func (a *answers) of(m *mappings.Module) *known {
	key := keyOf(m)
	if a.count >= answerLimit || a.modules == nil {
		a.forget()
		a.modules = make(map[moduleKey]*known)
	}
	if a.modules[key] == nil {
		a.modules[key] = &known{}
	}
	return a.modules[key]
}

// add remembers what was found, unless it is that a file could not be read, or a server did not answer: that may pass.
func (a *answers) add(k *known, w wants) {
	before := len(k.list)
	k.add(w)
	a.count += len(k.list) - before
}

// forget drops all answers.
func (a *answers) forget() {
	if a.idle != nil {
		a.idle.Stop()
	}
	*a = answers{}
}

// forgetWhenIdle lets the answers be forgotten unless they are used before long. The timer runs only while there are
// some, and does not keep the Symbolizer.
func (s *Symbolizer) forgetWhenIdle() {
	if s.answers.count == 0 {
		return
	}
	if s.answers.idle != nil {
		s.answers.idle.Stop()
	}
	var timer *time.Timer
	kept := weak.Make(s)
	timer = time.AfterFunc(idleLimit, func() {
		s := kept.Value()
		if s == nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.answers.idle == timer { // otherwise they were used while this waited for the lock
			s.forget()
		}
	})
	s.answers.idle = timer
}
