package servers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scrapeConfig makes Parca read the path each second. The keys of pprof_config become profile names; Go's own profiles,
// which are Parca's defaults, are off, because the example does not serve them.
const scrapeConfig = `
scrape_configs:
  - job_name: leaky
    scrape_interval: 1s
    scrape_timeout: 5s
    static_configs:
      - targets: [%q]
        labels: {region: here}
    profiling_config:
      pprof_config:
        memory: {enabled: false}
        block: {enabled: false}
        goroutine: {enabled: false}
        mutex: {enabled: false}
        process_cpu: {enabled: false}
        %s
`

func startScraping(t *testing.T, service *process, profiles string) *parcaServer {
	t.Helper()
	return startParca(t, fmt.Sprintf(scrapeConfig, strings.TrimPrefix(service.url, "http://"), profiles))
}

func TestParcaScrapesTheHandlerAndNamesTheGuilty(t *testing.T) {
	serverBinary(t, "parca")
	service := startLeaky(t)
	visit(t, service, 0, 50)
	parca := startScraping(t, service, "cgo_memory: {enabled: true, path: /debug/pprof/cgoheap}")

	for _, kind := range fourKinds {
		query := fmt.Sprintf(`cgo_memory:%s:space:bytes{job="leaky", region="here"}`, kind)
		// The Go runtime starts a thread now and then, which also takes memory, so a few tries may be needed.
		eventually(t, "comparing "+kind, func() error {
			local := localStacks(t, service, kind)
			last, err := parca.last(query)
			if err != nil {
				return err
			}
			if want := strings.TrimPrefix(service.url, "http://"); last.labels["instance"] != want {
				t.Errorf("the labels are %q, want the instance %s", last.labels, want)
			}
			got, err := parca.stacks(query, last.at, kind)
			if err == nil && got.total() != last.total {
				err = fmt.Errorf("the profile adds up to %d, but Parca's chart shows %d", got.total(), last.total)
			}
			return errors.Join(err, differ(kind, got, local), namesTheGuilty(got))
		})
	}
	mustOffer(t, parca.types, []string{
		"cgo_memory:alloc_objects:count:space:bytes", "cgo_memory:alloc_space:bytes:space:bytes",
		"cgo_memory:inuse_objects:count:space:bytes", "cgo_memory:inuse_space:bytes:space:bytes",
	})
}

func namesTheGuilty(s stacks) error {
	for _, path := range guilty {
		if s.of(path) == 0 {
			return fmt.Errorf("no memory is attributed to %s", path)
		}
	}
	return nil
}

func TestParcaScrapesDeltas(t *testing.T) {
	serverBinary(t, "parca")
	service := startLeaky(t)
	parca := startScraping(t, service, "cgo_memory: {enabled: true, delta: true, path: /debug/pprof/cgoheap}")

	const query = `cgo_memory:alloc_space:bytes:space:bytes:delta{job="leaky"}`
	before := localStacks(t, service, "alloc_space:bytes")
	visits := 0
	eventually(t, "waiting for deltas", func() error {
		visit(t, service, visits, 5)
		visits += 5
		moments, err := parca.moments(query)
		if len(moments) < 3 {
			return errors.Join(err, fmt.Errorf("%d deltas", len(moments)))
		}
		return err
	})
	after := localStacks(t, service, "alloc_space:bytes")

	sum, err := parca.sum(query, "alloc_space:bytes")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range guilty {
		// Deltas do not cover the time between two of them, so they are less than what was allocated, never more.
		if got, most := sum.of(path), after.of(path)-before.of(path); got <= 0 || got > most {
			t.Errorf("the deltas of %s add up to %d, want more than 0 and at most %d", path, got, most)
		}
	}
}

// mustOffer waits until a server offers these profile types, and finds no others.
func mustOffer(t *testing.T, types func() ([]string, error), want []string) {
	t.Helper()
	var got []string
	eventually(t, "the profile types", func() (err error) {
		got, err = types()
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("they are not yet what they should be:\n%s", cmp.Diff(want, got))
		}
		return err
	})
}
