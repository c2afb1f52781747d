package cgoheap

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/guilty"
	"github.com/cgoheap/cgoheap/internal/holders"
	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/reach"
	"github.com/cgoheap/cgoheap/internal/recovery"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Suspect is a stack with what is known of its blocks in use, or something outside malloc's heap that grows. Each error is half of a
// 95 % interval, which sampling makes; 0 where all is recorded, and outside malloc's heap.
type Suspect struct {
	// Kind is what grows: "malloc", "device", memory of a device that is judged alike, or, outside malloc's heap, what is resident of "mapped", memory that recorded calls with one stack have
	// mapped; "file", pages of a mapped file, or of the files of one folder where there are many; "file copies", private copies of
	// such pages that were written to; "shared memory" that no recorded call has mapped; "library", what was written to of the variables
	// of a library, wherever it is loaded; "thread stacks" and "ended thread stacks". "go stacks" are what Go's runtime has set aside
	// for goroutines, "go heap" what was in use after the last collection. Outside malloc's heap, Class is "grows" or "unsure", for a
	// file always the latter: the kernel can drop its pages. Only "mapped" has a Stack. Freed and what follows it are known of malloc and devices only.
	Kind string `json:"kind"`

	// Class is "leak" where it grows steadily and nothing was found that points to the blocks. "grows": steadily, and hardly any
	// block is freed, or their addresses may lie where nobody could look. "queue": steadily, though many are freed. "unheld": nothing was found that points to most of the blocks, but
	// it is not known to grow steadily. "unsure": it grows, but not steadily or not for long. "steady": it does not.
	Class    string `json:"class"`
	Sentence string `json:"sentence"` // what is known, for a person

	Function string   `json:"function"`         // the innermost that is no allocator's, nor a wrapper's or a container's; without a Stack, what it is
	Caller   string   `json:"caller,omitempty"` // the innermost Go function of package main, else of the program's modules, else of any
	Stack    []string `json:"stack"`            // the innermost function first

	Since       time.Time `json:"since"`        // what follows is known of the time from Since
	Time        time.Time `json:"time"`         // to Time
	Moments     int       `json:"moments"`      // in which the blocks were looked at; a single one shows no growth
	Bytes       int64     `json:"bytes"`        // in use at Time
	BytesError  int64     `json:"bytes_error"`  // of Bytes
	Growth      float64   `json:"growth"`       // bytes per minute: the slope of the straight line through the moments
	GrowthError float64   `json:"growth_error"` // of Growth
	AgeSeconds  float64   `json:"age_seconds"`  // mean age of Bytes, of malloc
	// Series is Bytes at each moment, the oldest first: milliseconds since 1970, and bytes.
	Series [][2]int64 `json:"series"`
	Freed  float64    `json:"freed"` // share that is freed of the bytes that were allocated since Since and were there at three moments

	Unreachable      float64 `json:"unreachable,omitempty"`       // share of Bytes to which nothing was found that points
	UnreachableError float64 `json:"unreachable_error,omitempty"` // of Unreachable
	// Undecided is the share of Bytes of which it is not known whether the program still has a pointer: Sentence says where their addresses lie.
	Undecided      float64 `json:"undecided,omitempty"`
	UndecidedError float64 `json:"undecided_error,omitempty"` // of Undecided

	Holder      string    `json:"holder,omitempty"`       // what points to most of the other bytes first
	Root        string    `json:"root,omitempty"`         // where Holder is a block: what the chain of pointers begins in
	Searched    time.Time `json:"searched,omitzero"`      // when pointers were looked for; zero: never
	NotSearched string    `json:"not_searched,omitempty"` // why not, where it failed the last time
}

// mostSuspects bounds the list of Suspects.
const mostSuspects = 50

// Suspects returns the stacks with native memory in use, and what grows outside malloc's heap (Suspect.Kind), the most suspect first,
// at most 50: leaks, what grows, then by the least growth that the interval allows, then by bytes in use. Its knowledge comes from
// moments of the last hour, which are kept from the first call on, or from Start with Config.Suspects: the first at once, the next after
// 14 s, later ones every two minutes. Without Config.Suspects no more are taken once nobody has called for an hour. So the first call
// knows no growth, and verdicts need eight minutes. Outside malloc's heap, which takes a look at all pages, a moment is left out where
// it would cost more than a quarter of a percent of one processor.
//
// What points to the blocks is looked for in the background, by a copy of the process (docs/reach.md): when Suspects is called, and when
// a stack grows; not where memory is short, nor more often than every ten minutes, nor for more than half a percent of one processor's
// time, nor so that the program stands still for more than a ten thousandth. So it is known soon after the first call. SearchSuspects
// does not wait for that. Suspects fails after Stop.
func (p *Profiler) Suspects() ([]Suspect, error) {
	list, err := p.listSuspects()
	if err == nil {
		p.search.Ask()
	}
	return list, err
}

func (p *Profiler) listSuspects() ([]Suspect, error) {
	defer p.recording.Reading()()
	list, err := p.suspectsNow(mostSuspects)
	if err == nil {
		p.suspects.Want()
	}
	return list, err
}

// suspectsNow returns at most so many suspects.
func (p *Profiler) suspectsNow(most int) ([]Suspect, error) {
	verdicts := p.suspects.Verdicts()
	snapshot, err := p.stacksOf(verdicts)
	if err != nil {
		return nil, fmt.Errorf("cgoheap: %w", err)
	}
	return p.list(snapshot, verdicts, most), nil
}

// stacksOf takes the samples that verdicts are about.
func (p *Profiler) stacksOf(verdicts []suspects.Verdict) (*alloc.Snapshot, error) {
	sites := make(map[uint64]bool, len(verdicts))
	for i := range verdicts {
		sites[verdicts[i].Site] = true
	}
	return p.recording.SnapshotOf(func(id uint64) bool { return sites[id] })
}

// present leaves out what is nil.
func present(described []*Suspect) (list []Suspect) {
	for _, one := range described {
		if one != nil {
			list = append(list, *one)
		}
	}
	return list
}

// suspect begins to watch, if that is wanted.
func (p *Profiler) suspect() {
	p.alarm = p.newAlarm()
	p.search = suspects.NewSearch(p.look, p.failed)
	p.suspects = suspects.NewWatch(suspects.Options{Read: p.recording.Live, Tick: alloc.LiveTick, Always: p.config.Suspects,
		Search: p.search, Alarm: p.alarm, Failed: p.failed, Outside: p.outside, Now: func() time.Time { return momentNow() }})
	if p.config.Suspects {
		p.suspects.Want()
	}
}

// momentNow is when a moment is. Tests replace it, as what grows is known after eight minutes.
var momentNow = time.Now

// outside reads what is in memory outside malloc's heap.
func (p *Profiler) outside() ([]suspects.Thing, error) {
	looking.Lock()
	defer looking.Unlock()
	defer p.own.timed(&p.own.accounts)()
	return p.recording.Outside(running)
}

// list returns what is known of the first verdicts, at most so many, whose stacks have samples in the snapshot. Stacks with the same
// lines are one: so all are named, of which there are some hundred at most, and cut afterwards.
func (p *Profiler) list(s *alloc.Snapshot, verdicts []suspects.Verdict, most int) []Suspect {
	lines, devices := p.shown(s, verdicts), devicesIn(s)
	merged := suspects.Merge(verdicts, func(v *suspects.Verdict) (key string) {
		for _, l := range lines[v.Site] {
			key += fmt.Sprintf("%v %s\n%s\n%s:%d\n", v.Kind(), devices[v.Site], l.Function, l.File, l.Line)
		}
		return key
	})
	return present(p.described(lines, devices, merged[:min(most, len(merged))]))
}

// described returns what is known of the stack of each verdict; nil for one that has no lines.
func (p *Profiler) described(lines map[uint64][]symbolize.Line, devices map[uint64]string, verdicts []suspects.Verdict) []*Suspect {
	list := make([]*Suspect, len(verdicts))
	stacks := make([][]symbolize.Line, len(verdicts))
	for i := range verdicts {
		stacks[i] = lines[verdicts[i].Site]
	}
	names := namesOf(stacks)
	for i := range verdicts {
		names[i].Device = devices[verdicts[i].Site]
	}
	_, _, failure := p.search.State()
	for i := range verdicts {
		if stack, known := lines[verdicts[i].Site]; known || verdicts[i].Thing != nil {
			one := newSuspect(&verdicts[i], names[i], stack)
			if failure != nil && one.Searched.IsZero() && verdicts[i].Thing == nil {
				one.NotSearched = failure.Error()
			}
			list[i] = &one
		}
	}
	return list
}

// shown returns what is shown of the stacks of verdicts that have samples in the snapshot, or have mapped memory, by site, the innermost
// function first.
func (p *Profiler) shown(s *alloc.Snapshot, verdicts []suspects.Verdict) map[uint64][]symbolize.Line {
	wanted, lines := make(map[uint64]bool, len(verdicts)), make(map[uint64][]symbolize.Line, len(verdicts))
	for i := range verdicts {
		wanted[verdicts[i].Site] = true
	}
	r := report.Report{Module: s.Module, Names: p.names, Seen: func(shown []symbolize.Line, s *stack.Sample) {
		lines[s.ID] = append([]symbolize.Line(nil), shown...)
	}}
	for i := range s.Samples {
		if wanted[s.Samples[i].ID] {
			r.Samples = append(r.Samples, s.Samples[i])
		}
	}
	r.Samples = append(r.Samples, p.mappedSamples(verdicts)...)
	r.See()
	return lines
}

// mappedSamples returns a sample without values for each verdict on mapped memory.
func (p *Profiler) mappedSamples(verdicts []suspects.Verdict) (list []stack.Sample) {
	var numbers []uint64
	for i := range verdicts {
		if verdicts[i].Kind() == suspects.Mapped {
			numbers = append(numbers, verdicts[i].Thing.Stack)
			list = append(list, stack.Sample{ID: verdicts[i].Site})
		}
	}
	for i, frames := range p.recording.MappedStacks(numbers) {
		list[i].Frames = frames
	}
	return list
}

func newSuspect(v *suspects.Verdict, names suspects.Names, lines []symbolize.Line) Suspect {
	made := Suspect{Kind: v.Kind().String(), Class: v.Class.String(), Sentence: v.Sentence(names, report.PlusMinus), Function: names.Function, Caller: names.Caller,
		Since: v.Since, Time: v.Time, Moments: v.Moments, Bytes: int64(v.Bytes), BytesError: int64(v.BytesError),
		Growth: v.Growth, GrowthError: v.GrowthError, AgeSeconds: v.Age.Seconds(), Freed: v.Freed, Stack: []string{}}
	if v.Thing != nil {
		made.Freed = 0
		if v.Kind() != suspects.Mapped {
			made.Function = v.Thing.Subject(names)
		}
	}
	for _, l := range lines {
		made.Stack = append(made.Stack, l.Function)
	}
	for _, m := range v.Series {
		made.Series = append(made.Series, [2]int64{m.Time.UnixMilli(), int64(m.Bytes)})
	}
	if f := v.Finding; f != nil {
		made.Unreachable, made.UnreachableError, made.Searched = f.Unreachable, f.Error, f.When
		made.Undecided, made.UndecidedError = f.Open, f.OpenError
		made.Holder, made.Root = f.Name, f.Root
	}
	return made
}

// namesOf returns what stacks are called. None has the name of another, unless it has the same lines.
func namesOf(stacks [][]symbolize.Line) []suspects.Names {
	names, inner := make([]suspects.Names, len(stacks)), make([]int, len(stacks))
	alike := make(map[suspects.Names][]int)
	for i, lines := range stacks {
		names[i], inner[i] = nameOf(lines)
		alike[names[i]] = append(alike[names[i]], i)
	}
	for _, group := range alike {
		if len(group) == 1 || len(stacks[group[0]]) == 0 {
			continue
		}
		like := make([][]guilty.Place, len(group))
		for n, i := range group {
			like[n] = placesOf(stacks[i])
		}
		for n, by := range guilty.Apart(like, func(n int) int { return inner[group[n]] }) {
			names[group[n]].By = by
		}
	}
	for i := range names {
		names[i].Pool = guilty.Pool(stacks[i], inner[i], recovery.LineOf)
	}
	return names
}

func placesOf(lines []symbolize.Line) []guilty.Place {
	places := make([]guilty.Place, len(lines))
	for i := range lines {
		places[i] = guilty.Place{Line: recovery.LineOf(&lines[i]), Number: lines[i].Line}
	}
	return places
}

// nameOf returns what a stack is called, and the number of the function that the name begins with.
func nameOf(lines []symbolize.Line) (n suspects.Names, inner int) {
	if len(lines) == 0 {
		return suspects.Names{Function: "unknown"}, 0
	}
	who := guilty.Of(lines, recovery.LineOf)
	l := &lines[who.Inner]
	n = suspects.Names{Function: l.Function, Line: l.Line}
	if l.File != "" {
		n.File = filepath.Base(l.File)
	}
	if entry := lines[who.Entry].Function; entry != l.Function {
		n.Entry = entry
	}
	if who.Caller >= 0 && who.Caller != who.Inner {
		n.Caller = lines[who.Caller].Function
	}
	return n, who.Inner
}

// fewSuspects is how many a text shows that is about something else.
const fewSuspects = 5

// suspectsText is what a text of a profile says of suspects; "" if no moments are taken.
func (p *Profiler) suspectsText(s *alloc.Snapshot) string {
	if !p.suspects.Running() {
		return ""
	}
	list := p.list(s, p.suspects.Verdicts(), fewSuspects)
	if len(list) == 0 {
		return ""
	}
	return "\nsuspects\n" + sentences(list) + p.aboutSearch() + p.aboutOutside()
}

func sentences(list []Suspect) string {
	var text strings.Builder
	for i := range list {
		fmt.Fprintf(&text, "%d. %s\n", i+1, list[i].Sentence)
	}
	return text.String()
}

// aboutSuspects is what a log says beside an account: the stacks that grow, at most three; "" if none does, or no moments are
// taken.
func (p *Profiler) aboutSuspects() string {
	if !p.suspects.Running() {
		return ""
	}
	const most = 3
	list, err := p.suspectsNow(most)
	if err != nil {
		return ""
	}
	var text string
	for _, s := range list {
		if s.Class != suspects.Steady.String() {
			text += "; " + s.Sentence
		}
	}
	return text
}

// Suspects returns the list for a client, and as text.
func (s served) Suspects(searched bool) (any, string, error) {
	kept, since := s.suspects.Moments()
	none := aboutNone(kept, since, s.recording.MallocInUse()) // before the list, which may have the first moment taken
	list := s.Profiler.Suspects
	if searched {
		list = s.listSuspects
	}
	found, err := list()
	if err != nil {
		return nil, "", err
	}
	text := sentences(found) + s.aboutSearch() + s.aboutOutside()
	if len(found) == 0 {
		text = none + "\n" + text
	}
	return append([]Suspect{}, found...), text, nil
}

// aboutOutside says why nothing is known of what grows outside malloc's heap, if that is so.
func (p *Profiler) aboutOutside() string {
	if err := p.suspects.Outside(); err != nil {
		return fmt.Sprintf("what grows outside malloc's heap is not known: %v\n", err)
	}
	return ""
}

// aboutNone is what a text says if the list that is made next has no suspects, and if now so many bytes are in use.
func aboutNone(kept int, since time.Time, now int64) string {
	if kept == 0 {
		return "no moment was kept yet: the first is being taken now, and verdicts need eight minutes"
	}
	seen := "at the first moment, "
	if kept > 1 {
		seen = fmt.Sprintf("at any of the %d moments since ", kept)
	}
	return fmt.Sprintf("no sampled block of malloc's was in use %s%s (now %s are), and nothing outside malloc's heap is known to grow; "+
		"/debug/cgoheap/account and view=rss have what is resident", seen, since.UTC().Format("15:04 MST"), report.Bytes(now))
}

// newAlarm returns what calls Config.OnSuspect; nil if there is nothing to call.
func (p *Profiler) newAlarm() *suspects.Alarm {
	if p.config.OnSuspect == nil {
		return nil
	}
	return suspects.NewAlarm(func() []suspects.Verdict { return verdicts(p.suspects) }, p.tellings, p.failed)
}

// verdicts are those that an alarm judges by. Tests replace it, as a leak takes minutes.
var verdicts = (*suspects.Watch).Verdicts

// tellings returns the calls of Config.OnSuspect for these verdicts; nil for one whose stack has no sample any more. Each is called
// what tells it from all suspects, those that were told before among them.
func (p *Profiler) tellings(news []suspects.Verdict) []func() {
	defer p.recording.Reading()()
	calls := make([]func(), len(news))
	isNews := func(v suspects.Verdict) bool {
		return slices.ContainsFunc(news, func(told suspects.Verdict) bool { return told.Site == v.Site })
	}
	all := slices.Concat(news, slices.DeleteFunc(verdicts(p.suspects), isNews))
	snapshot, err := p.stacksOf(all)
	if err != nil { // after Stop
		return calls
	}
	for i, one := range p.described(p.shown(snapshot, all), devicesIn(snapshot), all)[:len(news)] {
		if one != nil {
			calls[i] = func() { p.tell(*one) }
		}
	}
	return calls
}

// tell calls Config.OnSuspect, which is the host's.
func (p *Profiler) tell(s Suspect) {
	err := background.Guard("Config.OnSuspect", func() { p.config.OnSuspect(s) })
	if caught := (*background.Panic)(nil); errors.As(err, &caught) {
		log := func() {
			p.config.Logger.Error("cgoheap: a function of the program panicked", slog.Any("error", caught), slog.String("stack", caught.Stack))
		}
		_ = background.Guard("the report", log) // there is nobody else to tell
	}
}

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
	named, err := nameHolders(p.recording, &memory, p.names, f)
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
