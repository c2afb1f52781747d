package servers

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// startKeeper starts the service that pushes, with these flags.
func startKeeper(t *testing.T, flags ...string) *process {
	t.Helper()
	address := toolchain.Loopback(toolchain.FreePort(t))
	p := &process{name: "keeper", url: "http://" + address, ready: "/stats"}
	p.command = append([]string{built(t, "keeper"), "-listen", address}, flags...)
	launch(t, p)
	return p
}

// The two kinds of work that keeper does, as names that their stacks have in this order.
const (
	kept = "vault::Ledger::enter;…;main.handleKeep"
	lent = "vault::Ledger::lend;…;main.handleLend"
)

// allocate makes keeper allocate blocks of a size, a number of times; how is "keep" or "lend".
func allocate(t *testing.T, keeper *process, how string, bytes, times int64) {
	t.Helper()
	if err := post(fmt.Sprintf("%s/%s?bytes=%d&times=%d", keeper.url, how, bytes, times)); err != nil {
		t.Fatal(err)
	}
}

func post(url string) error {
	response, err := http.Post(url, "", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s, %w", url, response.Status, body, err)
	}
	return nil
}

// counters returns the counters of keeper's exporter.
func counters(t *testing.T, keeper *process) map[string]cgoheap.Counter {
	t.Helper()
	var list cgoheap.Stats
	if err := json.Unmarshal(fetch(t, keeper.url+"/stats"), &list); err != nil {
		t.Fatal(err)
	}
	byName := map[string]cgoheap.Counter{}
	for _, c := range list {
		byName[c.Name] = c
	}
	return byName
}

// awaitCounter waits until a counter has reached a value.
func awaitCounter(t *testing.T, keeper *process, name string, least uint64) cgoheap.Counter {
	t.Helper()
	var last cgoheap.Counter
	eventually(t, fmt.Sprintf("waiting for %s ≥ %d", name, least), func() error {
		last = counters(t, keeper)[name]
		if last.Value < least {
			return fmt.Errorf("%+v", counters(t, keeper))
		}
		return nil
	})
	return last
}

// awaitPushed waits until everything that keeper allocated before this call is in a profile that has arrived. The next
// profile might have begun before the call.
func awaitPushed(t *testing.T, keeper *process) {
	t.Helper()
	taken := counters(t, keeper)["export_taken"].Value
	awaitCounter(t, keeper, "export_taken", taken+2)
	eventually(t, "waiting until all has arrived", func() error {
		c := counters(t, keeper)
		if c["export_queue"].Value > 0 {
			return fmt.Errorf("%+v", c)
		}
		return nil
	})
}
