package export

import (
	"fmt"
	"log/slog"
	"time"
)

// Config says how often profiles are taken and how hard it is tried to deliver them. The zero value is good for
// production.
type Config struct {
	Interval time.Duration // between two profiles, on average; 0 means 15s
	GoHeap   bool          // Go's own heap too
	StandIns bool          // functions without a name as in files: libvips.so.42+0x1a340; servers then look for no name

	// Bounds of one profile, beyond which the smallest samples are added up. 0 means 16,000 samples and 4 MiB before
	// compression, which is what Pyroscope takes if it is not told otherwise.
	MaxSamples int
	MaxBytes   int64

	// Bounds of the queue. Beyond them the oldest batch is dropped. 0 means 64 batches, a quarter of an hour, and 16 MiB.
	// One batch may have half of the bytes.
	QueueBatches int
	QueueBytes   int64

	SendWithin time.Duration // bound on one attempt to send; 0 means 10s
	Attempts   int           // how often a batch is sent on which the server fails; 0 means 5
	MaxAge     time.Duration // after which a batch is given up; 0 means 1h, beyond which Pyroscope refuses it
	StopWithin time.Duration // how long Stop may take; 0 means 5s

	Logger *slog.Logger // where it is reported that profiles do not arrive, and that they do again; nil discards
}

const (
	leastInterval   = 10 * time.Millisecond
	leastQueueBytes = 64 << 10
)

// withDefaults fills in what is zero, and names the field that makes no sense.
func (c Config) withDefaults() (Config, error) {
	fill(&c.Interval, 15*time.Second)
	fill(&c.MaxSamples, 16_000)
	fill(&c.MaxBytes, 4<<20)
	fill(&c.QueueBatches, 64)
	fill(&c.QueueBytes, 16<<20)
	fill(&c.SendWithin, 10*time.Second)
	fill(&c.Attempts, 5)
	fill(&c.MaxAge, time.Hour)
	fill(&c.StopWithin, 5*time.Second)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, c.check()
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (c *Config) check() error {
	for _, f := range []struct {
		name         string
		value, least any
		ok           bool
	}{
		{"Interval", c.Interval, leastInterval, c.Interval >= leastInterval},
		{"MaxSamples", c.MaxSamples, 2, c.MaxSamples >= 2}, // with GoHeap, what is cut away is two samples
		{"MaxBytes", c.MaxBytes, 0, c.MaxBytes >= 0},
		{"QueueBatches", c.QueueBatches, 2, c.QueueBatches >= 2},
		{"QueueBytes", c.QueueBytes, leastQueueBytes, c.QueueBytes >= leastQueueBytes},
		{"SendWithin", c.SendWithin, 0, c.SendWithin >= 0},
		{"Attempts", c.Attempts, 0, c.Attempts >= 0},
		{"MaxAge", c.MaxAge, 0, c.MaxAge >= 0},
		{"StopWithin", c.StopWithin, 0, c.StopWithin >= 0},
	} {
		if !f.ok {
			return fmt.Errorf("export: Config.%s is %v; it must be 0 or at least %v", f.name, f.value, f.least)
		}
	}
	return nil
}
