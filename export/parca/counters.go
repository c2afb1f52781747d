package parca

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

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
