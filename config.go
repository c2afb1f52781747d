package cgoheap

import (
	"fmt"
	"log/slog"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Config says how to record. The zero value is good for production.
type Config struct {
	SampleBytes int64 // mean bytes between samples; 0 means 512 KiB, 1 records every allocation
	MaxDepth    int   // frames kept per stack, at most 512; 0 means 128
	TableBytes  int64 // bound on the profiler's own tables; 0 means 256 MiB, of which only what is used takes memory

	// Labels on samples, so that go tool pprof can show a tenant's or a request's share (-tagfocus). Each set of labels that
	// allocates at a stack takes room of its own in the tables, so they are for labels of few values. A stack that is cut
	// before it reaches Go, as by MaxDepth, has none of a goroutine's.
	GoroutineLabels bool // those of runtime/pprof.Do that were in force when Go called C
	ThreadNames     bool // the label "thread": the name of the thread, unless a goroutine has a label of that key

	Names symbolize.Options // how functions are called and which frames are left out

	Logger *slog.Logger // where background work reports; nil discards
}

const (
	defaultSampleBytes = 512 << 10
	defaultMaxDepth    = 128
	defaultTableBytes  = 256 << 20

	mostSampleBytes = 1 << 40
	mostDepth       = 512      // the walk's buffer lies on the stack of the thread that allocates
	leastTableBytes = 8 << 20  // the rows of a few libraries, and something to record in
	mostTableBytes  = 64 << 30 // what a ref of 32 bits reaches
)

// withDefaults fills in what is zero, and names the field that makes no sense.
func (c Config) withDefaults() (Config, error) {
	c.SampleBytes = orDefault(c.SampleBytes, defaultSampleBytes)
	c.MaxDepth = orDefault(c.MaxDepth, defaultMaxDepth)
	c.TableBytes = orDefault(c.TableBytes, defaultTableBytes)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	err := within("SampleBytes", c.SampleBytes, 1, mostSampleBytes)
	if err == nil {
		err = within("MaxDepth", int64(c.MaxDepth), 1, mostDepth)
	}
	if err == nil {
		err = within("TableBytes", c.TableBytes, leastTableBytes, mostTableBytes)
	}
	return c, err
}

func orDefault[N int | int64](n, otherwise N) N {
	if n == 0 {
		return otherwise
	}
	return n
}

// ConfigError says of a field of Config why it makes no sense.
type ConfigError struct {
	Field string
	says  string
}

func (e *ConfigError) Error() string { return "cgoheap: Config." + e.Field + " " + e.says }

func within(field string, value, least, most int64) error {
	if value < least || value > most {
		return &ConfigError{field, fmt.Sprintf("is %d; it must be 0 or from %d to %d", value, least, most)}
	}
	return nil
}

func (c Config) options() alloc.Options {
	return alloc.Options{SampleBytes: c.SampleBytes, MaxDepth: c.MaxDepth, TableBytes: c.TableBytes,
		Goroutines: c.GoroutineLabels, ThreadNames: c.ThreadNames}
}
