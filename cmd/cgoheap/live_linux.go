package main

import (
	"errors"
	"os"
	"time"

	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/terminal"
)

// liveView shows what top shows of the program that is run, at the bottom of the terminal that the program writes to as well.
type liveView struct {
	*harvest
	top    topping
	footer *terminal.Footer
	to     *os.File
	due    time.Time
}

const (
	liveEvery = 2 * time.Second
	liveRows  = 13 // at most, of which some are empty; see topping.lines
	liveShare = 10 // what looks cost may be such a part of the time
)

// withLive returns a look of the harvest that shows the program too, on a terminal, and what puts that back.
func (h *harvest) withLive(program string, to *os.File) (look, end func()) {
	v := &liveView{harvest: h, footer: terminal.NewFooter(to), to: to}
	v.top = topping{source: program, every: liveEvery}
	v.top.from.shared = h.shared
	v.top.from.name, v.top.from.view.View = report.InUse.Name, report.InUse
	return func() { h.look(); v.look() }, func() { _ = v.footer.Close() } // the terminal may be gone
}

// look takes a look and shows it, if one is due. Before the tables are settled for the first time there is nothing to show.
func (v *liveView) look() {
	begin := time.Now()
	if v.seen.path == "" || begin.Before(v.due) {
		return
	}
	if lines, known := v.lines(); known {
		_ = v.footer.Draw(lines) // the terminal may be gone
	}
	v.due = time.Now().Add(max(liveEvery-time.Second/2, liveShare*time.Since(begin))) // calls are a second apart
}

// lines returns what to show, which is nothing on a small terminal. While nothing is known, what was shown stays.
func (v *liveView) lines() (lines []string, known bool) {
	f := frame{colours: terminal.Colours(v.to), blocks: terminal.Unicode()}
	f.columns, f.rows = terminal.Size(v.to)
	if f.rows = min(f.rows/2, liveRows); f.rows < 4 {
		return nil, true
	}
	l, err := v.overview()
	switch {
	case err == nil:
		v.top.compare(l)
		return v.top.lines(l, f), true
	case errors.Is(err, remote.ErrUnsettled), errors.Is(err, os.ErrNotExist):
		return nil, false
	}
	f.failed = err.Error()
	return f.bottom(""), true
}

func (v *liveView) overview() (*overview, error) {
	e, err := v.top.from.openBox(v.seen.path, 0)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	t, err := v.top.from.ofExamined(e)
	if err != nil {
		return nil, err
	}
	return profileOverview(t), nil
}
