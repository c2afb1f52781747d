package cgoheap

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
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
func (p *Profiler) Account() (*Account, error) {
	a := p.accounts.get(func(a *takenAccount) {
		defer p.own.timed(&p.own.accounts)()
		if a.account, a.err = p.recording.AccountNow(running, figuresOf(malloc.Read(lookingTime, p.recording.Breaks()...))); a.err == nil {
			a.outside, a.devices = running.OutsideRSS(), p.devices(usesCard(a.account))
		}
	})
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
	made := &Account{Time: a.Time, RSS: a.RSS.Resident, Swapped: a.RSS.Swapped, Partial: sentenceOf(a.Err), Devices: devices}
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
