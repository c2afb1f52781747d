package main

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/recovery"
	"github.com/cgoheap/cgoheap/internal/report"
)

// newBoxPage shows a black box: that of a process that is gone, also if somebody recovers and removes it, or that of a living one, as it is
// when it is opened.
func (v *viewing) newBoxPage(p target) (shown http.Handler, end func(), err error) {
	if err := v.checkGone(); err != nil {
		return nil, nil, err
	}
	examined, err := v.openBox(p.box, releaseTime)
	if err != nil {
		return nil, nil, err
	}
	end = examined.Close
	b := &boxViews{flags: v.shared, examined: examined, made: make(map[string]*taken)}
	for _, name := range []string{report.InUse.Name, v.name} { // the first completes the verdict, too
		if _, err := b.profile(name); err != nil {
			end()
			return nil, nil, err
		}
	}
	story := examined.Story()
	e := &stillPage{profile: b.profile, value: func(string) string { return "" }, account: lastMoment(story)}
	e.Ended = slices.Clone(story.Verdict)
	if story.Timeline != nil && len(story.Timeline.Seconds)+len(story.Timeline.Minutes) > 0 {
		e.timeline = story.Timeline
	}
	e.Views = offered(b.names()...)
	e.Name = filepath.Base(p.name)
	how := "ended at about"
	if examined.Living {
		how = "lives, as of"
	}
	e.Of = fmt.Sprintf("%s, the black box of %s, process %d on %s, which %s %s", p.name, story.Program, story.PID, story.Host, how,
		story.Ended.UTC().Format(time.RFC3339))
	return e.handler(), end, nil
}

// boxViews are the profiles of a box, each made when it is first wanted.
type boxViews struct {
	flags    shared
	examined *recovery.Examined
	mu       sync.Mutex
	made     map[string]*taken
}

// names returns the views of a box, the one of -view first. That of devices is offered if the flight recorder has noted any, and some only of
// a process that is gone.
func (b *boxViews) names() []string {
	list := []string{b.flags.name}
	for _, name := range viewNames() {
		moves := name == report.Peak.Name || name == report.Age.Name
		if name != b.flags.name && name != report.RSS.Name && !(moves && b.examined.Living) && (name != report.Device.Name || b.hasDevices()) {
			list = append(list, name)
		}
	}
	return list
}

func (b *boxViews) hasDevices() bool {
	for _, l := range b.examined.Story().Account {
		if l.Name == flight.Devices.About().Name {
			return true
		}
	}
	return false
}

func (b *boxViews) profile(view string) (t *taken, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.made[view]; t != nil {
		return t, nil
	}
	of := b.flags
	of.name = view
	if err := of.check(); err != nil {
		return nil, err
	}
	if caught := background.Guard("reading a black box", func() { t, err = of.ofExamined(b.examined) }); caught != nil {
		return nil, caught
	}
	if err == nil {
		b.made[view] = t
	}
	return t, err
}

// noted are the lines of a box's account, by the fields of the flight recorder. The last one may be of memory that was not resident.
var noted = []struct {
	field flight.Field
	name  string
}{
	{flight.GoHeap, account.GoObjects}, {flight.GoFree, account.GoFree}, {flight.GoStacks, account.GoStacks}, {flight.GoOther, account.GoOther},
	{flight.Native, account.Native}, {flight.MallocFree, account.Free},
}

// lastMoment returns what memory consisted of by the flight recorder's last record: nil if there is none, and otherwise lines that add up
// to RSS.
func lastMoment(s *recovery.Story) *overview {
	values := make(map[string]int64)
	for _, l := range s.Account {
		values[l.Name] = l.Value
	}
	rss, known := values[flight.RSS.About().Name]
	if !known {
		return nil
	}
	l := &overview{Time: s.Ended, Total: "RSS", Bytes: rss}
	rest := rss
	for _, n := range noted {
		about := n.field.About()
		noted := values[about.Name]
		bytes, sentence := min(noted, rest), about.Sentence
		if noted > rest {
			sentence += fmt.Sprintf("; %s were noted, and no more than this can have been resident", report.Bytes(noted))
		}
		if bytes > 0 {
			l.Lines = append(l.Lines, part{Name: n.name, Bytes: bytes, Sentence: sentence})
			rest -= bytes
		}
	}
	if rest > 0 {
		ofMalloc := ""
		if _, known := values[flight.MallocFree.About().Name]; !known {
			ofMalloc = " what malloc keeps free,"
		}
		l.Lines = append(l.Lines, part{Name: "other", Bytes: rest,
			Sentence: "files, stacks of threads, headers of malloc," + ofMalloc + " and memory that was mapped directly"})
	}
	slices.SortStableFunc(l.Lines, func(a, b part) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return l
}
