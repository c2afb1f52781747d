package export

import (
	"fmt"
	"log/slog"
	"time"
)

// Config configures how often profiles are taken and how long delivery is tried. The zero value is good for production.
type Config struct {
	Interval time.Duration // between two profiles, on average; 0 means 15s
	GoHeap   bool          // Go's own heap too

	// NameByFile sends functions without a name under the names that cgoheap.Selection.BareAddresses describes. Without it,
	// BareAddresses is set, so that a server that has the debug files can name them.
	NameByFile bool

	// Bounds of one profile. Beyond them the smallest samples are added up into one. 0 means 16,000 samples and 4 MiB before
	// compression, Pyroscope's default limits.
	MaxSamples int
	MaxBytes   int64

	// Bounds of the queue. Beyond them the oldest batch is dropped. 0 means 64 batches (a quarter of an hour) and 16 MiB.
	// One batch may take half of the bytes.
	QueueBatches int
	QueueBytes   int64

	SendWithin time.Duration // bound on one attempt to send; 0 means 10s
	Attempts   int           // how often a batch is sent if the server fails on it; 0 means 5
	MaxAge     time.Duration // age at which a batch is given up; 0 means 1h, after which Pyroscope refuses it
	StopWithin time.Duration // how long Stop may take; 0 means 5s

	Logger *slog.Logger // reports when profiles stop arriving, and when they arrive again; nil discards
}

const (
	leastInterval   = 10 * time.Millisecond
	leastQueueBytes = 64 << 10
)

// withDefaults replaces zero fields by their defaults. An error names the invalid field.
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
		{"MaxSamples", c.MaxSamples, 2, c.MaxSamples >= 2}, // with GoHeap, the rest is added up in two samples
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
