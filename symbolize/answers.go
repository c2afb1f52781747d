package symbolize

import (
	"slices"
	"strings"
	"time"
	"unsafe"
	"weak"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/mappings"
)

// answerLimit bounds the addresses that are remembered. A profile has some thousands of them; one takes some 20 bytes, with its
// share of a function's names, and while a profile is made some 100 more.
const answerLimit = 1 << 16

// idleLimit is how long unused answers are kept. A hunt for a leak takes profiles minutes apart.
const idleLimit = 30 * time.Minute

// answers remembers the names of addresses, so that the next profile of the same process need not open its files again. When
// it is full it forgets everything, and one profile takes as long as the first.
type answers struct {
	modules map[moduleKey]*known
	count   int
	store   store
	idle    *time.Timer // nil while there are none
}

// moduleKey identifies a file by what a module knows of it.
type moduleKey struct {
	path, buildID string
	device, inode uint64
	deleted       bool
}

func keyOf(m *mappings.Module) moduleKey {
	return moduleKey{m.Path, m.BuildID, m.Device, m.Inode, m.Deleted}
}

// of returns the answers of a module, to be read and passed to add.
func (a *answers) of(m *mappings.Module) *known {
	key := keyOf(m)
	if a.count >= answerLimit || a.modules == nil {
		a.forget()
		a.modules = make(map[moduleKey]*known)
	}
	if a.modules[key] == nil {
		a.modules[key] = &known{store: &a.store}
	}
	return a.modules[key]
}

// compact ends a profile: only bytes are kept until the next.
func (a *answers) compact() {
	for _, k := range a.modules {
		k.compact()
	}
	a.store = store{}
}

// add remembers results, except that a file could not be read or a server did not answer: that may change.
func (a *answers) add(k *known, w wants) {
	a.count += k.add(w)
}

// forget drops all answers.
func (a *answers) forget() {
	if a.idle != nil {
		a.idle.Stop()
	}
	*a = answers{}
}

// forgetWhenIdle arranges that the answers are forgotten if they stay unused. The timer runs only while there are some, and
// does not keep the Symbolizer alive.
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
		background.Run("forgetting names", func() {
			s := kept.Value()
			if s == nil {
				return
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.answers.idle == timer { // otherwise they were used while this waited for the lock
				s.forget()
			}
		}, nil)
	})
	s.answers.idle = timer
}

// store holds the names and lines of a profile, one after another in blocks. Each on its own would lie among the garbage of its
// batch, in memory that cannot be returned to the kernel as long as the profile is being made. A block lives as long as anything
// in it.
type store struct {
	text  strings.Builder
	lines []Line
}

const (
	blockBytes = 16 << 10
	blockLines = blockBytes / int(unsafe.Sizeof(Line{}))
)

// name returns a copy of a name in a block. A name that is large by itself stays where it is.
func (s *store) name(name string) string {
	if len(name) > blockBytes/8 {
		return name
	}
	return s.copy(unsafe.Slice(unsafe.StringData(name), len(name)))
}

// copy returns a copy of a name's bytes, in a block unless it is large.
func (s *store) copy(name []byte) string {
	if len(name) > blockBytes/8 {
		return string(name)
	}
	from := s.text.Len()
	if from+len(name) > s.text.Cap() {
		from, s.text = 0, strings.Builder{}
		s.text.Grow(blockBytes)
	}
	s.text.Write(name)
	return s.text.String()[from:]
}

// symbol returns the line of a symbol. A name that is readable as it is takes its bytes once.
func (s *store) symbol(systemName string, style Style) Line {
	line := Line{SystemName: s.name(systemName)}
	line.Function = line.SystemName
	if readable := style.readableOrNot(systemName); readable != systemName {
		line.Function = s.name(readable)
	}
	return line
}

// keep returns a copy of lines in a block, unless they are many.
func (s *store) keep(lines ...Line) []Line {
	if len(lines) > blockLines/8 {
		return slices.Clone(lines)
	}
	if len(lines) > cap(s.lines)-len(s.lines) {
		s.lines = make([]Line, 0, blockLines)
	}
	at := len(s.lines)
	s.lines = append(s.lines, lines...)
	return s.lines[at:len(s.lines):len(s.lines)]
}
