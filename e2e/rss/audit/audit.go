// Package audit takes the account of RSS in a program again and again while that works, and judges it against the kernel.
package audit

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap"
)

// Main runs a load, audits it, and prints the Result as JSON on standard output. Each program's main calls it, and nothing else.
func Main(l Load) {
	moments := flag.Int("moments", 100, "how often to take the account")
	rest := flag.Bool("rest", false, "let no round be under way while the account is taken")
	flag.Parse()
	r, err := run(&l, &Result{Asked: *moments, Rest: *rest})
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(l *Load, r *Result) (*Result, error) {
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		return nil, err
	}
	profiler = p
	if err := l.prepare(); err != nil {
		return nil, err
	}
	c := l.start()
	if err := errors.Join(r.take(p, c), c.end()); err != nil {
		return nil, err
	}
	if l.Check != nil {
		r.Remark, err = l.Check()
	}
	return r, err
}

var profiler *cgoheap.Profiler

// Profiler returns the one that records, for a load's Check.
func Profiler() *cgoheap.Profiler { return profiler }

// take takes accounts until they show what is asked.
func (r *Result) take(p *cgoheap.Profiler, c *crowd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	first := c.rounds.Load()
	for !r.shows() && len(r.Moments) < mostTaken*r.Asked {
		m, err := r.moment(p, c)
		if err != nil {
			return err
		}
		r.Moments = append(r.Moments, *m)
		time.Sleep(pause)
	}
	r.Rounds = c.rounds.Load() - first
	return nil
}

// moment takes an account, with the load at rest if that is wanted.
func (r *Result) moment(p *cgoheap.Profiler, c *crowd) (*Moment, error) {
	if r.Rest {
		c.rest.Lock()
		defer c.rest.Unlock()
	}
	before := c.rounds.Load()
	m, err := take(p)
	if err == nil {
		m.Rounds = c.rounds.Load() - before
	}
	return m, err
}

// pause lets the load work between two moments.
const pause = 20 * time.Millisecond

func take(p *cgoheap.Profiler) (*Moment, error) {
	faults := pageFaults()
	w, others := newWatch(), othersTime()
	begin := time.Now()
	a, err := p.Account()
	took := time.Since(begin)
	seen := w.end()
	worked, faulted := othersTime()-others-seen.worked, pageFaults()-faults
	if err := errors.Join(err, seen.err); err != nil {
		return nil, err
	}
	m := &Moment{Took: took, Worked: worked, Least: seen.least, Most: seen.most, First: seen.first, Last: seen.last,
		Faulted: faulted * int64(os.Getpagesize()), Partial: a.Partial, Lines: make(map[string]int64)}
	for _, l := range a.Lines {
		m.Lines[l.Name] = l.Resident
	}
	return m, nil
}

// othersTime returns the processors' time of all threads but this one.
func othersTime() time.Duration { return timeOf(unix.RUSAGE_SELF) - timeOf(unix.RUSAGE_THREAD) }
