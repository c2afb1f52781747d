package recovery

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/remote"
)

var end = time.Date(2026, 11, 20, 10, 15, 0, 0, time.UTC)

// lastRecord returns a record with these fields; others are not known.
func lastRecord(values map[flight.Field]int64) *flight.Record {
	r := &flight.Record{Time: end}
	for f := range r.Values {
		r.Values[f] = flight.Unknown
	}
	for f, value := range values {
		r.Values[f] = value
	}
	return r
}

func signalled(s syscall.Signal, before time.Duration) remote.Signal {
	return remote.Signal{Signal: s, Time: end.Add(-before)}
}

func TestCauses(t *testing.T) {
	kills := map[flight.Field]int64{flight.GroupKills: 3}
	full := map[flight.Field]int64{flight.GroupKills: 3, flight.GroupUsed: 95 << 20, flight.GroupLimit: 100 << 20}
	cached := map[flight.Field]int64{flight.GroupUsed: 95 << 20, flight.GroupLimit: 100 << 20, flight.GroupCache: 50 << 20}
	asked := signalled(syscall.SIGTERM, 10*time.Second)
	for about, c := range map[string]struct {
		evidence
		want    string
		orderly bool
	}{
		"nothing is known":               {evidence{killsNow: -1}, "unknown: it exited, or was killed", false},
		"it has the profiler":            {evidence{killsNow: -1, linked: true}, "unknown: it exited without Profiler.Stop", false},
		"asked":                          {evidence{asked: asked, killsNow: -1}, "signal 15 (terminated)", true},
		"asked after the last record":    {evidence{asked: signalled(syscall.SIGINT, -time.Second), killsNow: -1}, "signal 2", true},
		"asked long ago":                 {evidence{asked: signalled(syscall.SIGTERM, time.Hour), killsNow: -1}, "unknown", false},
		"asked in vain":                  {evidence{asked: signalled(syscall.SIGTERM, 29*time.Second), killsNow: -1}, "asked to end by signal 15 (terminated), had not done so 29s later", false},
		"asked while it hung":            {evidence{asked: signalled(syscall.SIGTERM, -time.Minute), killsNow: -1, last: lastRecord(nil)}, "hung, or was stopped, for 1m0s", false},
		"killed for memory":              {evidence{last: lastRecord(kills), killsNow: 5}, "out of memory (2 kills", false},
		"no kill since":                  {evidence{last: lastRecord(kills), killsNow: 3}, "unknown", false},
		"another group of the same path": {evidence{last: lastRecord(kills), killsNow: 0}, "unknown", false},
		"asked, and another was killed":  {evidence{last: lastRecord(kills), killsNow: 4, asked: asked}, "signal 15", true},
		"kills cannot be read any more":  {evidence{last: lastRecord(kills), killsNow: -1}, "unknown", false},
		"kills could not be read":        {evidence{last: lastRecord(nil), killsNow: 4}, "unknown", false},
		"near the limit":                 {evidence{last: lastRecord(full), killsNow: 0}, "most likely the kernel killed it for its memory: at its last second its control group used 95 MiB", false},
		"near the limit with cache":      {evidence{last: lastRecord(cached), killsNow: -1}, "unknown: it exited", false},
		"asked near the limit":           {evidence{last: lastRecord(full), killsNow: 0, asked: asked}, "signal 15", true},
		"crashed":                        {evidence{faulted: signalled(syscall.SIGSEGV, 0), killsNow: -1}, "most likely crashed with signal 11 (segmentation fault)", false},
		"near the limit after a fault":   {evidence{faulted: signalled(syscall.SIGSEGV, 0), last: lastRecord(full), killsNow: 0}, "most likely the kernel", false},
		"aborted near the limit":         {evidence{faulted: signalled(syscall.SIGABRT, 0), last: lastRecord(full), killsNow: 0}, "it crashed with signal 6", false},
		"crashed after the last record":  {evidence{faulted: signalled(syscall.SIGABRT, -500*time.Millisecond), killsNow: -1}, "signal 6", false},
		"survived a signal":              {evidence{faulted: signalled(syscall.SIGSEGV, time.Second), killsNow: -1}, "unknown", false},
		"aborted at once":                {evidence{asked: signalled(syscall.SIGTERM, 0), faulted: signalled(syscall.SIGABRT, 0), killsNow: -1}, "it crashed with signal 6", false},
		"aborted while it ended":         {evidence{asked: asked, faulted: signalled(syscall.SIGABRT, 0), killsNow: -1}, "it crashed with signal 6", false},
		"a fault while it ended":         {evidence{asked: asked, faulted: signalled(syscall.SIGSEGV, -500*time.Millisecond), killsNow: -1}, "asked to end by signal 15 (terminated), and then crashed with signal 11 (segmentation fault), unless", false},
		"a fault survived while it ends": {evidence{asked: asked, faulted: signalled(syscall.SIGSEGV, 5*time.Second), killsNow: -1}, "signal 15", true},
		"asked after a fault survived":   {evidence{asked: signalled(syscall.SIGTERM, 0), faulted: signalled(syscall.SIGSEGV, 10*time.Millisecond), killsNow: -1}, "signal 15", true},
		"the machine was restarted":      {evidence{restarted: true, last: lastRecord(kills), killsNow: 9}, "restarted", false},
	} {
		c.ended = end
		got, orderly := c.cause()
		if !strings.Contains(got, c.want) || orderly != c.orderly {
			t.Errorf("%s: %q, orderly %v; want %q, %v", about, got, orderly, c.want, c.orderly)
		}
	}
}
