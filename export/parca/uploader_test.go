package parca

import (
	"errors"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

func TestFailedUploadIsTriedAgainAFewTimes(t *testing.T) {
	later := &delivery.Failure{Err: errors.New("away"), Verdict: delivery.Later}
	u := newUploader(nil, search{})
	u.counters = &uploadCounters{}
	now := time.Now()
	for n := range mostAttempts {
		state := u.due("aabb", now)
		if state == nil {
			t.Fatalf("attempt %d is not made", n)
		}
		u.settle(state, later)
		if u.due("aabb", now) != nil {
			t.Fatalf("attempt %d is made at once", n+1)
		}
		now = now.Add(u.pause << n).Add(time.Second)
	}
	if u.due("aabb", now.Add(1000*time.Hour)) != nil {
		t.Error("it never ends")
	}
	if got := u.counters.stats().Value("debuginfo_failed"); got != mostAttempts {
		t.Errorf("debuginfo_failed is %d", got)
	}
}

func TestWhatIsSettledIsNotTriedAgain(t *testing.T) {
	for counter, err := range map[string]error{
		"debuginfo_uploaded": nil,
		"debuginfo_known":    errKnown,
		"debuginfo_missing":  errNoFile,
		"debuginfo_refused":  &delivery.Failure{Err: errors.New("too large"), Verdict: delivery.Refused},
	} {
		u := newUploader(nil, search{})
		u.settle(u.due("aabb", time.Now()), err)
		if u.due("aabb", time.Now().Add(1000*time.Hour)) != nil {
			t.Errorf("%v: it is tried again", err)
		}
		if got := u.counters.stats().Value(counter); got != 1 {
			t.Errorf("%s is %d", counter, got)
		}
	}
}

func TestModulesThatAreRememberedAreBounded(t *testing.T) {
	u := newUploader(nil, search{})
	for n := range 2 * mostModules {
		u.due(string(rune(n)), time.Now())
	}
	if len(u.modules) != mostModules {
		t.Errorf("%d modules", len(u.modules))
	}
}

func TestOfferNeverWaits(t *testing.T) {
	u := newUploader(nil, search{})
	u.begin.Do(func() {}) // nobody takes them
	u.offer(make([]delivery.Module, 10*mostWaiting))
	if len(u.offered) != mostWaiting {
		t.Errorf("%d wait", len(u.offered))
	}
}
