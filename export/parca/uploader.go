package parca

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

const (
	mostModules  = 1024 // remembered; further ones are not uploaded
	mostWaiting  = 64   // waiting at a time; further ones come again with the next profile
	mostAttempts = 5    // for one file
	uploadWithin = 15 * time.Minute
)

// uploader uploads debug files, one after another, in its own goroutine.
type uploader struct {
	service  *debuginfo
	search   search
	offered  chan delivery.Module
	modules  map[string]*module // by build ID
	counters *uploadCounters
	pause    time.Duration // before the second attempt; it doubles
	begin    sync.Once
	ctx      context.Context // of the goroutine, which begins with the first offer
	stop     context.CancelFunc
}

// module is the state of the upload of a build ID.
type module struct {
	done     bool
	attempts int
	next     time.Time // earliest time of the next attempt
}

func newUploader(service *debuginfo, p search) *uploader {
	ctx, stop := context.WithCancel(context.Background())
	return &uploader{
		service:  service,
		search:   p,
		offered:  make(chan delivery.Module, mostWaiting),
		modules:  map[string]*module{},
		counters: &uploadCounters{},
		pause:    time.Minute,
		ctx:      ctx,
		stop:     stop,
	}
}

// offer never waits. A module that does not fit is offered again with the next profile.
func (u *uploader) offer(modules []delivery.Module) {
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

// due returns the state of a module if an attempt is due now, otherwise nil.
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

// try uploads a module. A panic on its file becomes an error, so that it does not end the host.
func (u *uploader) try(m delivery.Module) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &delivery.Failure{Err: fmt.Errorf("uploading %s panicked: %v", m.File, cause), Verdict: delivery.Refused}
		}
	}()
	ctx, cancel := context.WithTimeout(u.ctx, uploadWithin)
	defer cancel()
	f, err := u.search.open(m)
	if err != nil {
		return err
	}
	defer f.Close()
	return u.service.upload(ctx, m.BuildID, f)
}

// settle records the outcome of an attempt.
func (u *uploader) settle(state *module, err error) {
	u.counters.add(err)
	var failure *delivery.Failure
	switch {
	case err == nil, errors.Is(err, errKnown), errors.Is(err, errNoFile),
		errors.As(err, &failure) && failure.Verdict == delivery.Refused:
		state.done = true
		return
	}
	state.next = time.Now().Add(u.pause << state.attempts)
	state.attempts++
	state.done = state.attempts == mostAttempts
}

// bytesPerSecond bounds how fast a file is read, for its hash and for the upload: disk, processor and network belong to the
// host.
const bytesPerSecond = 16 << 20

// paced is a reader that is no faster than bytesPerSecond on average since it began, and fails when its context is done.
type paced struct {
	ctx context.Context
	io.Reader
	began time.Time
	read  int64
}

func (r *paced) Read(p []byte) (int, error) {
	due := r.began.Add(time.Duration(r.read) * time.Second / bytesPerSecond)
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
	n, err := r.Reader.Read(p[:min(len(p), pieceBytes)])
	r.read += int64(n)
	return n, err
}

// uploadCounters count the outcomes for debug files, with the last reason of each kind.
type uploadCounters struct {
	mu                                sync.Mutex
	uploaded, known                   uint64
	missing, refused, failed          uint64
	lastMissing, lastRefusal, lastErr error
}

func (c *uploadCounters) add(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var failure *delivery.Failure
	switch {
	case err == nil:
		c.uploaded++
	case errors.Is(err, errKnown):
		c.known++
	case errors.Is(err, errNoFile):
		c.missing++
		c.lastMissing = err
	case errors.As(err, &failure) && failure.Verdict == delivery.Refused:
		c.refused++
		c.lastRefusal = err
	default:
		c.failed++
		c.lastErr = err
	}
}

func (c *uploadCounters) stats() cgoheap.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cgoheap.Stats{
		{Name: "debuginfo_uploaded", Value: c.uploaded, Sentence: "debug files uploaded"},
		{Name: "debuginfo_known", Value: c.known, Sentence: "debug files that the server has or does not want"},
		{Name: "debuginfo_missing", Value: c.missing, Sentence: because("files with unnamed functions for which there is no debug file to upload", c.lastMissing)},
		{Name: "debuginfo_refused", Value: c.refused, Sentence: because("debug files that the server refused", c.lastRefusal)},
		{Name: "debuginfo_failed", Value: c.failed, Sentence: because("attempts to upload that failed; each file is tried a few times", c.lastErr)},
	}
}

func because(text string, reason error) string {
	if reason == nil {
		return text
	}
	return fmt.Sprintf("%s; the last time: %v", text, reason)
}
