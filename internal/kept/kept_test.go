package kept

import (
	"errors"
	"runtime"
	"testing"
	"time"
)

type blocked struct{ until chan bool }

//go:noinline
func block(until chan bool) {
	runtime.SetFinalizer(&blocked{until}, func(b *blocked) { <-b.until })
}

func TestCollectWaitsWhileBlocksAreFreed(t *testing.T) {
	for name, c := range map[string]struct {
		patience
		moves, ends bool
		want        error
	}{
		"a finalizer that takes long":                        {patience{time.Millisecond, time.Hour}, true, true, nil},
		"a finalizer that blocks":                            {patience{time.Millisecond, time.Hour}, false, false, ErrNotDone},
		"a finalizer that blocks, while other threads free":  {patience{time.Millisecond, 10 * time.Millisecond}, true, false, ErrNotDone},
		"nothing that takes time, and nothing that is freed": {patience{time.Hour, time.Hour}, false, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			until := make(chan bool)
			if c.moves || !c.ends {
				block(until)
			}
			looks := uint64(0)
			err := c.collect(func() uint64 {
				if looks++; looks == 5 && c.ends {
					close(until)
				}
				if c.moves {
					return looks
				}
				return 0
			})
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if !c.ends {
				close(until)
			}
		})
	}
}
