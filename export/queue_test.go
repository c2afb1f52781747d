package export

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// model is the queue as one would first write it.
type model struct {
	list    []*delivery.Batch
	sending *delivery.Batch
}

func (m *model) put(b *delivery.Batch, entries int, bytes int64) {
	m.list = append(m.list, b)
	for len(m.list) > entries || m.bytes() > bytes {
		i := slices.IndexFunc(m.list, func(b *delivery.Batch) bool { return b != m.sending })
		m.list = slices.Delete(m.list, i, i+1)
	}
}

func (m *model) bytes() (n int64) {
	for _, b := range m.list {
		n += b.Size()
	}
	return n
}

func TestBatchesOfDeadProcessesDelayNoOther(t *testing.T) {
	q := newQueue(8, 1000)
	dead, living := &delivery.Batch{Recovered: &delivery.Recovered{}}, &delivery.Batch{}
	take := func(want *delivery.Batch) *entry {
		t.Helper()
		e, more := q.take()
		if e == nil && want != nil || e != nil && e.batch != want || !more {
			t.Fatalf("took %v, want %v", e, want)
		}
		return e
	}
	q.put(dead)
	if !q.park(take(dead)) {
		t.Error("an open queue dropped a batch that is to be sent again")
	}
	take(nil)
	q.put(living)
	q.keep(take(living))
	q.arrived(take(living))
	e := take(dead)
	q.put(living)
	q.park(e)
	q.close()
	last, _ := q.take()
	q.remove(last)
	if e, _ := q.take(); last.batch != living || e == nil || q.park(e) {
		t.Error("a closed queue kept a batch that is parked")
	}
	if e, more := q.take(); e != nil || more {
		t.Errorf("then there is %v, %v", e, more)
	}
	if dropped := q.put(living); len(dropped) != 1 || dropped[0].batch != living {
		t.Errorf("a closed queue accepts a batch")
	}
}

func TestQueueIsWhatTheModelIs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	q, m := newQueue(8, 1000), &model{}
	var taken *entry
	for step := range 20_000 {
		switch {
		case r.IntN(2) == 0:
			b := &delivery.Batch{Profiles: [][]byte{make([]byte, r.Int64N(q.mostBatchBytes()+1))}}
			before := len(m.list)
			m.put(b, 8, 1000)
			if dropped := q.put(b); len(dropped) != before+1-len(m.list) {
				t.Fatalf("step %d: %d batches dropped, want %d", step, len(dropped), before+1-len(m.list))
			}
		case taken == nil:
			if taken, _ = q.take(); taken != nil {
				m.sending = taken.batch
				if m.sending != m.list[0] {
					t.Fatalf("step %d: the batch taken is not the oldest", step)
				}
			}
		case r.IntN(2) == 0:
			q.keep(taken)
			taken, m.sending = nil, nil
		default:
			q.remove(taken)
			m.list = m.list[1:]
			taken, m.sending = nil, nil
		}
		var got []*delivery.Batch
		for _, e := range q.entries {
			got = append(got, e.batch)
		}
		if !slices.Equal(got, m.list) {
			t.Fatalf("step %d: the queue has %d batches, the model %d", step, len(got), len(m.list))
		}
		batches, bytes := q.size()
		if diff := cmp.Diff([]int64{int64(len(m.list)), m.bytes()}, []int64{int64(batches), bytes}); diff != "" || bytes > 1000 {
			t.Fatalf("step %d: size (-want +got):\n%s", step, diff)
		}
	}
}
