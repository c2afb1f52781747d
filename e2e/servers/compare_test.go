package servers

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A comparison has the latency and memory of one service as multiples of another's. It is printed and decides nothing, because the
// machine also does other work. That requests do not wait for the server is tested by TestRequestsDoNotWaitForTheServer.
type comparison struct{ median, p99, memory float64 }

func (c comparison) String() string {
	return fmt.Sprintf("latency ×%.2f at the median, ×%.2f at p99, memory ×%.2f", c.median, c.p99, c.memory)
}

const (
	comparedRequests = 400
	comparedBytes    = 1000
	comparedTimes    = 50
	lentToCompare    = comparedRequests * comparedBytes * comparedTimes
)

// compare makes the services lend memory, in turns, for at least as long as a few profiles are taken: each request must be
// answered. It compares the first with each of the others.
func compare(t *testing.T, services ...*process) (others []comparison) {
	t.Helper()
	latencies := make([][]time.Duration, len(services))
	for n := range comparedRequests {
		for turn := range services { // the first in a turn has colder caches
			which := (n + turn) % len(services)
			latencies[which] = append(latencies[which], lend(t, services[which]))
		}
		time.Sleep(2 * time.Millisecond)
	}
	for i := range services {
		slices.Sort(latencies[i])
	}
	first := memory(t, services[0])
	for i, other := range services[1:] {
		at := func(percent int) float64 {
			n := comparedRequests * percent / 100
			return float64(latencies[0][n]) / float64(latencies[i+1][n])
		}
		others = append(others, comparison{at(50), at(99), first / memory(t, other)})
	}
	return others
}

func lend(t *testing.T, service *process) time.Duration {
	t.Helper()
	begin := time.Now()
	if err := post(fmt.Sprintf("%s/lend?bytes=%d&times=%d", service.url, comparedBytes, comparedTimes)); err != nil {
		t.Fatal(err)
	}
	return time.Since(begin)
}

// memory returns a process's own resident memory, in KiB, between two profiles and without Go's garbage: the least of a few
// tries. In such a young process, chance decides when garbage goes back to the system, and makes a factor of two.
func memory(t *testing.T, p *process) float64 {
	t.Helper()
	least := math.MaxFloat64
	for range 8 {
		if err := post(p.url + "/tidy"); err != nil {
			t.Fatal(err)
		}
		least = min(least, resident(t, p))
		time.Sleep(30 * time.Millisecond)
	}
	return least
}

func resident(t *testing.T, p *process) float64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.running.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "RssAnon:")
	kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes
}
