package tables

import (
	"math"
	"testing"
	"time"
)

func TestAgeOfTicks(t *testing.T) {
	const now = 1 << 39
	for ticks, want := range map[int64]time.Duration{
		1: tick, 60: 60 * tick, 1 << 33: 1 << 33 * tick, 1<<39 - 1: (1<<39 - 1) * tick,
		0: -1, -1: -1, -1000: -1,
	} {
		age, known := ageOf(now, uint64(now-ticks))
		if !known {
			age = -1
		}
		if age != want {
			t.Errorf("%d ticks are %v, want %v", ticks, age, want)
		}
	}
	if age, _ := ageOf(1<<62, 1); age != math.MaxInt64/tick*tick {
		t.Errorf("an age that no Duration holds is %v", age)
	}
}
