package parca

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/export"
)

const (
	mostModules  = 1024 // that are remembered; more are not uploaded
	mostWaiting  = 64   // that wait at a time; more come again with the next profile
	mostAttempts = 5    // at one file
	uploadWithin = 15 * time.Minute
)

// uploader uploads debug files, one after the other, in a goroutine of its own.
type uploader struct {
	service  *debuginfo
	places   places
	offered  chan export.Module
	modules  map[string]*module // by build ID
	counters *uploadCounters
	pause    time.Duration // before the second attempt; it doubles
	begin    sync.Once
	ctx      context.Context // of the goroutine, which begins with the first offer
	stop     context.CancelFunc
}

// module is what became of a build ID.
type module struct {
	done     bool
	attempts int
	next     time.Time // not before
}

func newUploader(service *debuginfo, p places) *uploader {
	ctx, stop := context.WithCancel(context.Background())
	return &uploader{
		service:  service,
		places:   p,
		offered:  make(chan export.Module, mostWaiting),
		modules:  map[string]*module{},
		counters: &uploadCounters{},
		pause:    time.Minute,
		ctx:      ctx,
		stop:     stop,
	}
}

// offer never waits. A module that does not fit is offered again with the next profile.
func (u *uploader) offer(modules []export.Module) {
	u.begin.Do(func() { go u.run() })
	for _, m := range modules {
		select {
		case u.offered <- m:
		default:
			return
		}
	}
}

func (u *uploader) run() {
	for {
		select {
		case <-u.ctx.Done():
			return
		case m := <-u.offered:
			if state := u.due(m.BuildID, time.Now()); state != nil {
				u.settle(state, u.try(m))
			}
		}
	}
}

// due is the state of a module with which something is to be done now, and nil if nothing is.
func (u *uploader) due(buildID string, now time.Time) *module {
	state := u.modules[buildID]
	if state == nil {
		if len(u.modules) == mostModules {
			return nil
		}
		state = &module{}
		u.modules[buildID] = state
	}
	if state.done || now.Before(state.next) {
		return nil
	}
	return state
}

// try uploads a module. Code that panics on a file is no reason for the host to end.
func (u *uploader) try(m export.Module) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &export.Failure{Err: fmt.Errorf("uploading %s panicked: %v", m.File, cause), Verdict: export.Refused}
		}
	}()
	ctx, cancel := context.WithTimeout(u.ctx, uploadWithin)
	defer cancel()
	f, err := u.places.open(m)
	if err != nil {
		return err
	}
	defer f.Close()
	return u.service.upload(ctx, m.BuildID, f)
}

// settle notes what became of an attempt.
func (u *uploader) settle(state *module, err error) {
	u.counters.add(err)
	var failure *export.Failure
	switch {
	case err == nil, errors.Is(err, errKnown), errors.Is(err, errNoFile),
		errors.As(err, &failure) && failure.Verdict == export.Refused:
		state.done = true
		return
	}
	state.next = time.Now().Add(u.pause << state.attempts)
	state.attempts++
	state.done = state.attempts == mostAttempts
}
