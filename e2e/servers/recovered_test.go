package servers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// died writes the profile of a process that died some time ago into a file.
func died(t *testing.T, p *profile.Profile, ago time.Duration) (path string, at time.Time) {
	t.Helper()
	at = time.Now().Add(-ago).Truncate(time.Millisecond)
	p.TimeNanos, p.DurationNanos = at.UnixNano(), 0
	var data bytes.Buffer
	if err := p.Write(&data); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "recovered.pb.gz")
	if err := os.WriteFile(path, data.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path, at
}

// aged are the ages that Parca takes both of, and Pyroscope the first.
var aged = []time.Duration{10 * time.Minute, 2 * time.Hour}

func TestParcaHasTheMemoryOfAProcessThatDied(t *testing.T) {
	server := startParca(t, "")
	local, _ := anyProfile(t)
	for _, age := range aged {
		path, at := died(t, local, age)
		service := fmt.Sprint("died", age)
		keeper := startKeeper(t, "-parca", server.url, "-service", service, "-recovered", path)
		allocate(t, keeper, "keep", 4096, 100)
		awaitCounter(t, keeper, "export_recovered_pushed", 1)
		awaitPushed(t, keeper)
		for _, kind := range fourKinds[:2] {
			query := fmt.Sprintf("memory:%s:space:bytes{job=%q, recovered=%q}", kind, service, "true")
			eventually(t, "reading back", func() error {
				got, err := server.stacks(query, at, kind)
				return errors.Join(err, differ(kind, got, mustStacks(t, local, kind)), namesTheGuilty(got))
			})
		}
		mustHaveAllocatedAlone(t, server, service)
	}
}

func TestPyroscopeHasTheMemoryOfAProcessThatDiedLately(t *testing.T) {
	server := startPyroscope(t)
	local, _ := anyProfile(t)
	path, at := died(t, local, aged[0])
	keeper := startKeeper(t, "-pyroscope", server.url, "-recovered", path)
	allocate(t, keeper, "keep", 4096, 100)
	awaitCounter(t, keeper, "export_recovered_pushed", 1)
	awaitPushed(t, keeper)
	for _, kind := range fourKinds[:2] {
		eventually(t, "reading back", func() error {
			got, err := server.sum(fmt.Sprintf("memory:%s:space:bytes", kind), `{service_name="keeper", recovered="true"}`,
				at.Add(-time.Minute), at.Add(time.Minute))
			return errors.Join(err, differ(kind, got, mustStacks(t, local, kind)), namesTheGuilty(got))
		})
	}
	eventually(t, "reading the living alone", func() error {
		_, to := lately()
		got, err := server.sum("memory:inuse_space:bytes:space:bytes", `{service_name="keeper", recovered=""}`, at.Add(-time.Minute), to)
		if err == nil && got.of(kept) == 0 {
			err = errors.New("nothing that keeper keeps")
		}
		return errors.Join(err, amountsDiffer(got, stacks{guilty[0]: 0, guilty[1]: 0}))
	})
	mustHaveAllocatedAlone(t, server, "keeper")
}

// mustHaveAllocatedAlone waits until the server shows that a service allocated what it keeps, and nothing else.
func mustHaveAllocatedAlone(t *testing.T, server reader, service string) {
	t.Helper()
	eventually(t, "adding up allocations", func() error {
		return allocationsDiffer(server, service, stacks{kept: 4096 * 100, guilty[0]: 0, guilty[1]: 0})
	})
}

// A service is killed, and started again. Both servers then have its last moment, at its own time.
func TestServersHaveTheLastMomentOfAServiceThatWasKilled(t *testing.T) {
	parca, pyroscope := startParca(t, ""), startPyroscope(t)
	boxes := toolchain.Memory(t)
	first := startKeeper(t, "-pyroscope", "http://"+toolchain.Loopback(toolchain.FreePort(t)), "-blackbox", boxes) // where nobody listens
	allocate(t, first, "keep", 8192, 500)                                                                          // more than the samples of Go's heap, of which the log names the largest, too
	began := time.Now().Truncate(time.Second)
	awaitRecord(t, first)
	first.end(syscall.SIGKILL)
	killed := time.Now()
	keeper := startKeeper(t, "-parca", parca.url, "-pyroscope", pyroscope.url, "-blackbox", boxes)
	awaitCounter(t, keeper, "export_recovered_pushed", 1)
	p := onlyDump(t, boxes)
	at := time.Unix(0, p.TimeNanos)
	if at.Before(began) || at.After(killed) {
		t.Errorf("the profile is of %v, and the service was killed between %v and %v", at, began, killed)
	}
	const kind = "inuse_space:bytes"
	about := func(got stacks, err error) error {
		return errors.Join(err, amountsDiffer(got, stacks{kept: 8192 * 500}))
	}
	eventually(t, "reading back from Parca", func() error {
		return about(parca.stacks(`memory:`+kind+`:space:bytes{job="keeper", recovered="true"}`, at, kind))
	})
	eventually(t, "reading back from Pyroscope", func() error {
		return about(pyroscope.sum("memory:"+kind+":space:bytes", `{service_name="keeper", recovered="true"}`, at.Add(-time.Minute), at.Add(time.Minute)))
	})
	if text := keeper.logTail(); !strings.Contains(text, "are held by vault::Ledger::enter, called from main.handleKeep") || !strings.Contains(text, "profile="+boxes) {
		t.Errorf("the log has\n%s", text)
	}
}

// awaitRecord waits until a second that began after the call is in the service's timeline, and so in its black box.
func awaitRecord(t *testing.T, service *process) {
	t.Helper()
	seconds := func() int {
		var timeline struct{ Seconds [][]*int64 }
		if err := json.Unmarshal(fetch(t, service.url+"/debug/cgoheap/timeline"), &timeline); err != nil {
			t.Fatal(err)
		}
		return len(timeline.Seconds)
	}
	enough := seconds() + 2
	eventually(t, "the timeline", func() error {
		if n := seconds(); n < enough {
			return fmt.Errorf("%d seconds, want %d", n, enough)
		}
		return nil
	})
}

// onlyDump returns the only profile in a directory.
func onlyDump(t *testing.T, dir string) *profile.Profile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.cgoheap.pb.gz"))
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPyroscopeRefusesAnOldProfileAndTheLogSaysSo(t *testing.T) {
	server := startPyroscope(t)
	local, _ := anyProfile(t)
	path, _ := died(t, local, aged[1])
	keeper := startKeeper(t, "-pyroscope", server.url, "-recovered", path)
	c := awaitCounter(t, keeper, "export_recovered_refused", 1)
	t.Logf("%s", c.Sentence)
	if text := keeper.logTail(); !strings.Contains(text, "path="+path) || !strings.Contains(text, "does not take the profile") {
		t.Errorf("the log has\n%s", text)
	}
	allocate(t, keeper, "keep", 4096, 100)
	awaitPushed(t, keeper)
	mustHaveAllocatedAlone(t, server, "keeper")
	if c := counters(t, keeper)["export_recovered_refused"]; c.Value != 1 {
		t.Errorf("%d %s", c.Value, c.Sentence)
	}
}

func TestServersTakeARecoveredProfileThatWasCut(t *testing.T) {
	parca, pyroscope := startParca(t, ""), startPyroscope(t)
	local, _ := anyProfile(t)
	path, at := died(t, local, aged[0])
	const most, kind = 5, "inuse_space:bytes"
	keeper := startKeeper(t, "-parca", parca.url, "-pyroscope", pyroscope.url, "-recovered", path, "-max-samples", fmt.Sprint(most))
	awaitCounter(t, keeper, "export_recovered_pushed", 1)
	want := mustStacks(t, local, kind).total()
	about := func(got stacks, err error) error {
		if err == nil && (len(got) > most || got.total() != want || got["other"] == 0) {
			err = fmt.Errorf("%d bytes, want %d, in %v", got.total(), want, got)
		}
		return err
	}
	eventually(t, "reading back from Parca", func() error {
		return about(parca.stacks(`memory:`+kind+`:space:bytes{job="keeper", recovered="true"}`, at, kind))
	})
	eventually(t, "reading back from Pyroscope", func() error {
		return about(pyroscope.sum("memory:"+kind+":space:bytes", `{service_name="keeper", recovered="true"}`,
			at.Add(-time.Minute), at.Add(time.Minute)))
	})
}
