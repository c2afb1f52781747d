//go:build linux && cgo

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

// A comparison is what requests and memory of one service are, as multiples of another's. It is printed and decides
// nothing, for it is taken on machines that do other things too.
type comparison struct{ median, p99, memory float64 }

func (c comparison) String() string {
	return fmt.Sprintf("latency ×%.2f at the median, ×%.2f at p99, memory ×%.2f, against a service whose server is well",
		c.median, c.p99, c.memory)
}

const (
	comparedRequests = 400
	comparedBytes    = 1000
	comparedTimes    = 50
	lentToCompare    = comparedRequests * comparedBytes * comparedTimes
)

// compare makes both services lend memory, in turns, for at least as long as a few profiles are taken.
func compare(t *testing.T, troubled, healthy *process) comparison {
	t.Helper()
	request := fmt.Sprintf("/lend?bytes=%d&times=%d", comparedBytes, comparedTimes)
	var of [2][]time.Duration
	for n := range comparedRequests {
		for turn := range 2 { // the first in a turn finds colder caches
			which := (n + turn) % 2
			begin := time.Now()
			if err := post([]string{troubled.url, healthy.url}[which] + request); err != nil {
				t.Fatal(err)
			}
			of[which] = append(of[which], time.Since(begin))
		}
		time.Sleep(2 * time.Millisecond)
	}
	slices.Sort(of[0])
	slices.Sort(of[1])
	at := func(percent int) float64 {
		n := comparedRequests * percent / 100
		return float64(of[0][n]) / float64(of[1][n])
	}
	return comparison{at(50), at(99), memory(t, troubled) / memory(t, healthy)}
}

// memory is what a process has resident of its own, in KiB, between two profiles and without Go's garbage: the least of a
// few tries. When garbage goes back to the system is a matter of chance in a process so young, and a factor of two.
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
