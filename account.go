package cgoheap

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/malloc"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// Account lists what the resident memory of the process consists of. Its lines add up to RSS.
type Account struct {
	Time       time.Time       `json:"time"`
	RSS        int64           `json:"rss"`               // resident bytes of the process, as the kernel counts them; or else see Partial
	Swapped    int64           `json:"swapped"`           // bytes of it that are swapped out
	Lines      []AccountLine   `json:"lines"`             // the largest first; empty ones are left out
	Devices    []AccountLine   `json:"devices,omitempty"` // memory of devices such as graphics cards, which is not in RSS; Resident is what is in use
	OutsideRSS []AccountLine   `json:"outside_rss"`       // what RSS does not count, but a control group's limit does
	Malloc     []AccountMalloc `json:"malloc"`            // what each allocator in the process keeps
	Partial    string          `json:"partial,omitempty"` // why the lines are incomplete; "" if they are complete
	Advice     []string        `json:"advice,omitempty"`  // how to reduce RSS, in sentences
}

// AccountLine is a part of RSS. A leaf in the profile of ViewRSS has the same name.
type AccountLine struct {
	Name     string `json:"name"`
	Resident int64  `json:"resident"`
	Swapped  int64  `json:"swapped"`
	Error    int64  `json:"error,omitempty"` // of Resident, of an estimate from samples: half of its 95 % interval

	// Known says how the bytes are known: "counted", page by page; "figures", by their owner's own count; "estimate", from
	// samples or by a rule; "rest", what remains of RSS without the others.
	Known     string `json:"known,omitempty"`
	Sentence  string `json:"sentence"`             // what it is
	Detail    string `json:"detail,omitempty"`     // its largest parts, such as the files of devices
	ReadError string `json:"read_error,omitempty"` // why it could not be read, wholly or in part
}

// running is where the account is read. Tests replace it by a kernel that refuses.
var running = usage.Running

// Account returns the account of this moment. It reads the kernel's tables of the process's pages, which takes about 4 ms for
// each GiB, and the table of blocks in use; the program goes on meanwhile. It takes about 600 bytes of memory for each
// recorded mapping, half of it in Go's heap, 200 for each block of at least 64 KiB, and beside these one or two megabytes and a byte
// for each page of malloc's heaps. If a part cannot be read, its line has the reason. One is taken at a time: calls that
// come meanwhile share the next one. Account fails after Stop.
func (p *Profiler) Account() (*Account, error) { return p.accounts.get(p.takeAccount).made() }

// takeAccount takes the account of this moment.
func (p *Profiler) takeAccount(a *takenAccount) {
	defer p.own.timed(&p.own.accounts)()
	taken, err := p.recording.AccountNow(running, figuresOf(malloc.Read(lookingTime, p.recording.Breaks()...)))
	if err == nil {
		a.outside, a.devices = running.OutsideRSS(), p.devices(usesCard(taken))
	}
	a.account, a.err = taken, err // not before: until here, a panic leaves an error
}

// made returns the account, or why there is none.
func (a *takenAccount) made() (*Account, error) {
	if a.err != nil {
		return nil, fmt.Errorf("cgoheap: %w", a.err)
	}
	return newAccount(a.account, a.outside, a.devices), nil
}

// lookingTime bounds the processor time of looking at what allocators keep. What there was no time for is estimated.
var lookingTime = 20 * time.Millisecond

// figuresOf returns the allocators' own figures.
func figuresOf(kept []malloc.Kept) []account.Malloc {
	list := make([]account.Malloc, len(kept))
	for i := range kept {
		list[i] = kept[i].Malloc
	}
	return list
}

func newAccount(a *account.Account, outside []usage.Part, devices []AccountLine) *Account {
	made := &Account{Time: a.Time, RSS: a.RSS.Resident, Swapped: a.RSS.Swapped, Partial: sentenceOf(a.Err), Devices: slices.Clone(devices)}
	for _, l := range a.Lines {
		made.Lines = append(made.Lines, AccountLine{Name: l.Name, Resident: l.Resident, Swapped: l.Swapped, Error: l.Error,
			Known: l.Known.String(), Sentence: l.Sentence, Detail: l.Detail, ReadError: sentenceOf(l.Err)})
	}
	for _, p := range outside {
		made.OutsideRSS = append(made.OutsideRSS,
			AccountLine{Name: p.Name, Resident: p.Bytes, Sentence: p.Sentence, ReadError: sentenceOf(p.Err)})
	}
	for i := range a.Malloc {
		m := &a.Malloc[i]
		made.Malloc = append(made.Malloc, newAccountMalloc(m))
		if advice := malloc.Advice(m, uint64(a.RSS.Resident)); advice != "" {
			made.Advice = append(made.Advice, advice)
		}
	}
	return made
}

func sentenceOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// String returns the account for a person: a line for each part, with its share of RSS.
func (a *Account) String() string {
	t := report.Table{Total: a.RSS}
	t.Heading(fmt.Sprintf("RSS %s", report.Bytes(a.RSS)))
	if a.Swapped > 0 {
		t.Heading(fmt.Sprintf("and %s swapped out", report.Bytes(a.Swapped)))
	}
	if a.Partial != "" {
		t.Heading("partial: " + a.Partial)
	}
	for _, l := range a.Lines {
		t.Line(l.Resident, true, l.remark())
	}
	for _, sentence := range a.Advice {
		t.Heading(sentence)
	}
	for i := range a.Malloc {
		a.Malloc[i].write(&t)
	}
	for _, part := range []struct {
		heading string
		lines   []AccountLine
	}{{"not in RSS", a.OutsideRSS}, {"on devices, and not in RSS", a.Devices}} {
		if len(part.lines) > 0 {
			t.Heading(part.heading)
		}
		for _, l := range part.lines {
			t.Line(l.Resident, false, l.remark())
		}
	}
	return t.String()
}

// remark returns the line's name, followed by remarks on its bytes.
func (l *AccountLine) remark() string {
	text := l.Name
	if l.Detail != "" {
		text += " (" + l.Detail + ")"
	}
	if l.Known == account.Estimate.String() {
		text += " (estimate"
		if l.Error > 0 {
			text += " ± " + report.Bytes(l.Error)
		}
		text += ")"
	}
	if l.Swapped > 0 {
		text += fmt.Sprintf(", and %s swapped out", report.Bytes(l.Swapped))
	}
	if l.ReadError != "" {
		text += ", not readable: " + l.ReadError
	}
	return text
}

// summary returns the account in one line of a log: its largest lines.
func (a *Account) summary() string {
	const most = 4
	text := "RSS " + report.Bytes(a.RSS)
	if a.Partial != "" {
		text += " (partial)"
	}
	for i, l := range a.Lines[:min(most, len(a.Lines))] {
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		text += separator + report.Bytes(l.Resident) + " " + l.Name
	}
	return text
}

// aboutMemory returns the account in one line of a log.
func (p *Profiler) aboutMemory() string {
	a, err := p.Account()
	if err != nil {
		return err.Error()
	}
	return a.summary()
}

// accountText is the account as a part of a text: the one that was made for it, or else that of this moment.
func (p *Profiler) accountText(made *account.Account) string {
	if made != nil {
		return newAccount(made, running.OutsideRSS(), p.devices(usesCard(made))).String()
	}
	a, err := p.Account()
	if err != nil {
		return err.Error() + "\n"
	}
	return a.String()
}

// looking is held by who looks at all pages of the process: one at a time, because each takes memory and a processor.
var looking sync.Mutex

// accounts lets callers of Account share:
//
//	one is taken        │ they ask, and wait │ one is taken for all of them │
//
// None has an account that was begun before it asked. Scrapes share an account that anybody has taken, for so long that all accounts for
// scrapes together take less than half a percent of the time: one takes 4 ms for each GiB, and somebody may scrape each second, or several
// at once. No scrape waits for one that hangs. What is kept for them has no address: to a search for pointers it would hold blocks.
type accounts struct {
	sync.Mutex
	next   *takenAccount // what waits for its turn; nil: nothing
	last   *Account      // of what was taken last; nil if that failed, before the first, and after forget
	failed error         // why it failed
	due    time.Time     // when a scrape wants another
	taking chan struct{} // closed when the one that is taken for scrapes is done; nil: none is
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

const (
	scrapeShare    = 200 // how many times as long as it took an account is shared
	leastShared    = time.Second * 5
	mostShared     = time.Minute
	scrapePatience = 2 * time.Second // after that a scrape has the account before
)

var (
	errNotTaken  = errors.New("the account was not finished")
	errNoAccount = errors.New("cgoheap: the account takes long, and there is none yet")
)

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
	begin := time.Now()
	defer func() {
		s.Lock()
		defer s.Unlock()
		s.last, s.failed = a.made()
		s.due = time.Now().Add(min(max(scrapeShare*time.Since(begin), leastShared), mostShared))
	}()
	take(a)
	return a
}

// recent returns an account that scrapes still share. A panic of take goes to failed.
func (s *accounts) recent(take func(*takenAccount), failed func(error)) (*Account, error) {
	if done := s.ask(take, failed); done != nil {
		patience := time.NewTimer(scrapePatience)
		defer patience.Stop()
		select {
		case <-done:
		case <-patience.C:
		}
	}
	s.Lock()
	defer s.Unlock()
	if s.last == nil && s.failed == nil {
		return nil, errNoAccount
	}
	return s.last, s.failed
}

// ask has an account taken if one is due. It returns what is closed when that is done; nil if none is being taken.
func (s *accounts) ask(take func(*takenAccount), failed func(error)) <-chan struct{} {
	s.Lock()
	defer s.Unlock()
	if s.taking == nil && !time.Now().Before(s.due) {
		taking := make(chan struct{})
		s.taking = taking
		background.New("the account for a scrape", func() {
			defer func() {
				s.Lock()
				defer s.Unlock()
				close(taking)
				s.taking = nil
			}()
			s.get(take)
		}, failed).Ask()
	}
	return s.taking
}

// forget drops the account: it is one of a recording that has ended.
func (s *accounts) forget() {
	s.Lock()
	defer s.Unlock()
	s.last, s.failed, s.due = nil, nil, time.Time{}
}

// AccountMalloc is what one allocator keeps, by its own figures. The lines that begin with "malloc:" are the sum over all allocators.
type AccountMalloc struct {
	Name   string `json:"name"`   // "glibc", "jemalloc", ...
	Arenas int    `json:"arenas"` // how many it has; 0 if unknown, or if it has none

	// Free bytes are resident, and no block in use lies in them. Trimmable is the part that Trim returns to the kernel: whole
	// pages. Pinned is the part on pages that blocks in use lie on as well. What is in neither, malloc keeps at the end of an
	// arena.
	InUse     int64 `json:"in_use"`
	Free      int64 `json:"free"`
	Trimmable int64 `json:"trimmable"`
	Pinned    int64 `json:"pinned"`

	// ShareRead is the share of the allocator's resident memory that was read, from 0 to 1. If it is less than 1, the figures
	// are estimated: Free from the recorded blocks in use, Trimmable and Pinned as if the rest were like this part.
	ShareRead float64 `json:"share_read"`

	ByArena   []AccountArena `json:"by_arena,omitempty"`   // in the allocator's order; their sums are the figures above
	ReadError string         `json:"read_error,omitempty"` // why figures are missing; "" if there are all
}

// AccountArena has the figures of AccountMalloc for one arena. Number is the allocator's own number: glibc's first
// arena, which grows by brk, is 0.
type AccountArena struct {
	Number    int   `json:"number"`
	InUse     int64 `json:"in_use"`
	Free      int64 `json:"free"`
	Trimmable int64 `json:"trimmable"`
	Pinned    int64 `json:"pinned"`
}

func newAccountMalloc(m *account.Malloc) AccountMalloc {
	made := AccountMalloc{Name: m.Name, Arenas: m.Arenas, InUse: int64(m.InUse), Free: int64(m.FreeResident),
		Trimmable: int64(m.Trimmable), Pinned: int64(m.Pinned), ShareRead: m.ShareRead, ReadError: m.Unknown}
	for _, a := range m.ByArena {
		made.ByArena = append(made.ByArena, AccountArena{Number: a.Number, InUse: int64(a.InUse), Free: int64(a.FreeResident),
			Trimmable: int64(a.Trimmable), Pinned: int64(a.Pinned)})
	}
	return made
}

// The text names this many arenas, those with the most free memory, if all arenas together have this share of RSS.
const (
	mostArenas = 5
	arenaShare = 0.05
)

// write adds the allocator to a text.
func (m *AccountMalloc) write(t *report.Table) {
	if m.ReadError != "" {
		t.Heading(fmt.Sprintf("free memory of %s: not readable: %s", m.Name, m.ReadError))
		return
	}
	if float64(m.Free) < arenaShare*float64(t.Total) {
		return
	}
	name := "free memory of " + m.Name
	if m.ShareRead > 0 && m.ShareRead < malloc.EnoughRead {
		t.Heading(fmt.Sprintf("%s: estimated, from %d %% of its memory; which pages of it a trim would return is not known", name, malloc.Percent(m.ShareRead)))
		return
	}
	if m.ShareRead > 0 && m.ShareRead < 1 {
		name += fmt.Sprintf(" (estimated from %d %% of it)", malloc.Percent(m.ShareRead))
	}
	t.Columns(name, "resident", "trimmable", "pinned")
	for _, a := range m.largest() {
		t.Row(a.name, a.Free, a.Trimmable, a.Pinned)
	}
	t.Row(m.all(), m.Free, m.Trimmable, m.Pinned)
}

type namedArena struct {
	AccountArena
	name string
}

// largest returns the arenas with the most free memory, and the sum of the others. If there is only one, it returns none.
func (m *AccountMalloc) largest() (list []namedArena) {
	arenas := slices.Clone(m.ByArena)
	slices.SortStableFunc(arenas, func(a, b AccountArena) int { return cmp.Compare(b.Free, a.Free) })
	for i, a := range arenas {
		if rest := arenas[i:]; i == mostArenas && len(rest) > 1 {
			return append(list, namedArena{sumOf(rest), fmt.Sprintf("%d other arenas", len(rest))})
		}
		list = append(list, namedArena{a, fmt.Sprintf("arena %d", a.Number)})
	}
	if len(list) == 1 {
		return nil
	}
	return list
}

func (m *AccountMalloc) all() string {
	switch m.Arenas {
	case 0:
		return "in all"
	case 1:
		return "in its one arena"
	}
	return fmt.Sprintf("in all %d arenas", m.Arenas)
}

func sumOf(arenas []AccountArena) (sum AccountArena) {
	for _, a := range arenas {
		sum.InUse, sum.Free = sum.InUse+a.InUse, sum.Free+a.Free
		sum.Trimmable, sum.Pinned = sum.Trimmable+a.Trimmable, sum.Pinned+a.Pinned
	}
	return sum
}

// Trim makes malloc return memory to the kernel that the program has freed, and returns how many resident bytes that saved.
// With glibc it is malloc_trim, with jemalloc, tcmalloc and mimalloc their own purge; other allocators have none, and the
// result is 0. It takes some milliseconds per gigabyte, during which threads may wait for malloc.
func (p *Profiler) Trim() int64 { return int64(malloc.Trim()) }
