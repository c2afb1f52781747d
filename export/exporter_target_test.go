package export_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// target keeps what it is sent and answers what a test wants.
type target struct {
	answer func(n int, ctx context.Context) error // to attempt n, from 0; nil: it arrives
	form   delivery.Form

	mu       sync.Mutex
	attempts []attempt
	arrived  []*delivery.Batch
	closed   int
}

type attempt struct {
	at    time.Time
	batch *delivery.Batch
}

func (t *target) Form() delivery.Form  { return t.form }
func (t *target) Place() string        { return fmt.Sprintf("%p", t) }
func (t *target) Name() string         { return "http://server" }
func (t *target) Stats() cgoheap.Stats { return cgoheap.Stats{{Name: "target_own", Value: 7}} }

func (t *target) Send(ctx context.Context, b *delivery.Batch) error {
	t.mu.Lock()
	n := len(t.attempts)
	t.attempts = append(t.attempts, attempt{time.Now(), b})
	t.mu.Unlock()
	if t.answer != nil {
		if err := t.answer(n, ctx); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.arrived = append(t.arrived, b)
	return nil
}

func (t *target) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed++
	return nil
}

// gaps are the times between attempts.
func (t *target) gaps() (gaps []time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := 1; i < len(t.attempts); i++ {
		gaps = append(gaps, t.attempts[i].at.Sub(t.attempts[i-1].at))
	}
	return gaps
}

// numbers returns the numbers of the profiles that arrived, in the order of their arrival.
func (t *target) numbers(tb testing.TB) (numbers []int) {
	tb.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.arrived {
		numbers = append(numbers, number(tb, b))
	}
	return numbers
}

// number is which profile of a standin.Profiler a batch is.
func number(tb testing.TB, b *delivery.Batch) int {
	tb.Helper()
	p, err := profile.Parse(bytes.NewReader(b.Profiles[0]))
	if err != nil {
		tb.Fatal(err)
	}
	total := int64(0)
	for _, s := range p.Sample {
		total += s.Value[0]
	}
	return int(total)
}

// upTo is first, first+1, ..., last.
func upTo(first, last int) (list []int) {
	for n := first; n <= last; n++ {
		list = append(list, n)
	}
	return list
}
