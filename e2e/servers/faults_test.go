package servers

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A fault is a way in which a server, or the network in front of it, fails.
type fault struct {
	name    string
	gate    gate
	absent  bool // nobody listens
	secure  bool // with a certificate that keeper has no reason to trust
	counter string
	reason  string // part of the counter's sentence
	lost    bool   // the profiles were refused; otherwise the queue holds them until the fault is over
}

var faults = []fault{
	{name: "refused connection", absent: true, counter: "export_retried", reason: "connection refused"},
	{name: "slow", gate: slow, counter: "export_pushed"},
	{name: "hanging", gate: hanging, counter: "export_retried", reason: "deadline"},
	{name: "429", gate: answers(http.StatusTooManyRequests), counter: "export_retried", reason: "429"},
	{name: "500", gate: answers(http.StatusInternalServerError), counter: "export_retried", reason: "500"},
	{name: "413", gate: answers(http.StatusRequestEntityTooLarge), counter: "export_refused", reason: "413", lost: true},
	{name: "wrong token", gate: wants("Authorization", "Bearer right"), counter: "export_refused", reason: "unauthenticated", lost: true},
	{name: "unknown certificate", secure: true, gate: open, counter: "export_retried", reason: "certificate"},
}

func slow(http.ResponseWriter, *http.Request) bool {
	time.Sleep(400 * time.Millisecond)
	return true
}

func hanging(_ http.ResponseWriter, r *http.Request) bool {
	_, _ = io.Copy(io.Discard, r.Body) // otherwise an HTTP/1 server does not notice that the client has gone
	<-r.Context().Done()
	return false
}

func answers(status int) gate {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, http.StatusText(status), status)
		return false
	}
}

func TestAParcaInTroubleDoesNotTroubleItsHosts(t *testing.T) {
	server := startParca(t, "")
	withFaults(t, server.process, server)
}

func TestAPyroscopeInTroubleDoesNotTroubleItsHosts(t *testing.T) {
	server := startPyroscope(t)
	withFaults(t, server.process, server)
}

func withFaults(t *testing.T, server *process, r reader) {
	alone := startKeeper(t)
	for n, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			port := toolchain.FreePort(t)
			scheme := map[bool]string{false: "http://", true: "https://"}[f.secure]
			service := fmt.Sprint("fault", n)
			var front *front
			if !f.absent {
				front = startFront(t, server, port, f.secure)
				front.set(f.gate)
			}
			start := func(address, service string) *process { // both at once: a process's first profile takes memory
				return startKeeper(t, "-"+server.name, address, "-service", service,
					"-interval", "100ms", "-send-within", "1s", "-queue", "1000")
			}
			healthy := start(server.url, service+"healthy")
			keeper := start(scheme+toolchain.Loopback(port), service)
			allocate(t, keeper, "keep", 1024, 50) // first, because an empty profile is not sent
			mustSay(t, awaitCounter(t, keeper, f.counter, 1), f.reason)
			compared := compare(t, keeper, healthy, alone)
			t.Logf("%v, against a service whose server works", compared[0])
			t.Logf("%v, against a service that exports nothing", compared[1])

			switch {
			case f.secure: // lasts until keeper is restarted
			case f.absent:
				startFront(t, server, port, false)
			default:
				front.set(open)
			}
			mustRecover(t, f, keeper, r, service)
		})
	}
}

// mustRecover compares the server's final data with what the fault means for the profiles.
func mustRecover(t *testing.T, f fault, keeper *process, r reader, service string) {
	t.Helper()
	if f.secure {
		awaitCounter(t, keeper, "export_queue", 10)
		return
	}
	allocate(t, keeper, "lend", 2048, 30)
	awaitPushed(t, keeper)
	want := stacks{lent: 2048*30 + lentToCompare, kept: 1024 * 50}
	if f.lost {
		got, err := r.allocated(service)
		if err != nil || got.of(kept) != 0 || got.of(lent) < 2048*30 {
			t.Errorf("%v, %v: want nothing of %s, and %s", got, err, kept, lent)
		}
		return
	}
	eventually(t, "reading back", func() error { return allocationsDiffer(r, service, want) })
}
