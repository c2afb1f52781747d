package cgoheap

import (
	"fmt"
	"log/slog"
	"math"
	"path/filepath"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/message"
	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Config configures the profiler. The zero value is good for production.
type Config struct {
	SampleBytes int64 // mean bytes between samples; 0 means 512 KiB, 1 records every allocation
	MaxDepth    int   // frames kept per stack, at most 512; 0 means 128
	TableBytes  int64 // bound on the profiler's own tables; 0 means 256 MiB, of which only what is used takes memory

	// Labels on samples, so that go tool pprof can show a tenant's or a request's share (-tagfocus). Every combination of a
	// stack and a set of labels takes its own entry in the tables, so use labels that have few values. A stack that is cut
	// before it reaches Go, for example by MaxDepth, has no goroutine labels. A sample with labels takes some
	// 9 µs; with SampleBytes 1, each allocation does.
	GoroutineLabels bool // the labels of runtime/pprof.Do that were set when Go called C
	ThreadNames     bool // the label "thread": the name of the thread, unless a goroutine has a label of that key

	// Demangle selects how much of a C++ or Rust name is shown: "templates", the default, keeps template arguments and drops
	// parameters and return types; "short" drops both; "full" keeps everything; "none" shows the linker's name.
	Demangle string

	// HiddenFrames keeps the frames that are hidden otherwise: those through which Go and C call each other, such as
	// runtime.cgocall, and malloc and its family at the leaf.
	HiddenFrames bool

	// BlackBox is a directory for a file of at most TableBytes, sparse, in which the profiler keeps its tables: it is still
	// there after the process was killed. Stop removes it. The directory must lie in memory (a tmpfs): /dev/shm, below /run, or in
	// Kubernetes an emptyDir with medium Memory. Start refuses one on a disk, because threads that allocate would wait for that,
	// without an end if it is frozen or gone. The next Start of this program with this directory writes a profile
	// of each process that is gone into RecoverDir, as an ordinary dump, with a file beside it that has the account and the
	// timeline of its last hours, and logs in three sentences what happened: see Recovered. It keeps the newest RecoverKeep
	// profiles. The command cgoheap recover does the same from outside. "" for none.
	BlackBox    string
	RecoverDir  string // "" means BlackBox
	RecoverKeep int    // 0 means 10

	RecoverKeepBytes int64 // of profiles that are kept, at most; 0 means no bound

	// Timeline notes once a second what memory the process takes: the last hour by seconds, three days by minutes, in 2 MiB of the
	// tables. PagesHandler serves it. It takes a thousandth of one processor at most. BlackBox includes it.
	Timeline bool

	// Suspects keeps moments of the profile from Start on, the last hour in at most 32: see Profiler.Suspects. Otherwise the
	// first call of Suspects begins. It takes three quarters of a percent of one processor at most, and 5 MiB, and at a moment what an
	// Account takes for recorded mappings. When a stack grows, a copy of the process looks for what points to its blocks, within the
	// bounds that Suspects states.
	Suspects bool

	// OnSuspect is called when a stack, or something outside malloc's heap (Suspect.Kind), is newly suspected, which is when its class
	// becomes "leak", "grows" or "queue", and when it changes to another of these; nil for no calls. Setting it implies Suspects, so a
	// stack that grows is known after eight minutes. A call is made after a moment or a search, at most ten for each, and for one stack
	// and class at most once an hour. If nobody has looked for pointers since half of a stack's growth was there, the call waits until that
	// is done, for ten minutes at most, and not at all where the bounds of Suspects allow it only later. Stacks that read the same, because a compiler has replaced their code at run time, are judged each
	// for itself. Calls never overlap: one that takes long delays later ones, and nothing else. A panic is caught and goes to Logger.
	// OnSuspect may call any method of the Profiler. Stop waits for a running call for one second at most, so that it ends even if the
	// call blocks, or if it is the call that calls Stop; no call begins after Stop has returned.
	OnSuspect func(Suspect)

	DebugDirs   []string // searched for separate debug files before /usr/lib/debug; their layout is the same
	Debuginfod  bool     // asks the servers in DEBUGINFOD_URLS for debug files that this machine lacks; profiles wait for downloads
	UnpackBytes int64    // bound on the memory that unpacks a file's compressed debug data; 0 means 12 MiB

	// Hosts are the names by which HTTP requests may ask the handlers for what changes something, beside addresses and localhost:
	// such as "shop.example.org" or "*.example.org". If there are any, everything else is refused under other names, too.
	Hosts []string

	Logger *slog.Logger // where background work reports; nil discards
}

const (
	defaultSampleBytes = 512 << 10
	defaultMaxDepth    = 128
	defaultTableBytes  = 256 << 20
	defaultRecoverKeep = 10

	mostSampleBytes = 1 << 40
	mostDepth       = 512      // the walk's buffer lies on the stack of the thread that allocates
	leastTableBytes = 8 << 20  // the rows of a few libraries, and room for what is recorded
	mostTableBytes  = 64 << 30 // all that a 32-bit reference can address
	mostUnpackBytes = 1 << 40
)

// withDefaults replaces zero fields by their defaults. An error names the invalid field.
func (c Config) withDefaults() (Config, error) {
	c.SampleBytes = orDefault(c.SampleBytes, defaultSampleBytes)
	c.MaxDepth = orDefault(c.MaxDepth, defaultMaxDepth)
	c.TableBytes = orDefault(c.TableBytes, defaultTableBytes)
	c.RecoverKeep = orDefault(c.RecoverKeep, defaultRecoverKeep)
	c.Suspects = c.Suspects || c.OnSuspect != nil
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = message.Logger(c.Logger)
	err := c.absolute()
	if err == nil {
		err = within("SampleBytes", c.SampleBytes, 1, mostSampleBytes)
	}
	if err == nil {
		err = within("MaxDepth", int64(c.MaxDepth), 1, mostDepth)
	}
	if err == nil {
		err = within("TableBytes", c.TableBytes, leastTableBytes, mostTableBytes)
	}
	if err == nil {
		err = within("RecoverKeep", int64(c.RecoverKeep), 1, math.MaxInt32)
	}
	if err == nil {
		err = within("RecoverKeepBytes", c.RecoverKeepBytes, 0, math.MaxInt64)
	}
	if err == nil && c.UnpackBytes != 0 {
		err = within("UnpackBytes", c.UnpackBytes, 1, mostUnpackBytes)
	}
	if wrong := page.Hosts(c.Hosts).Check(); err == nil && wrong != nil {
		err = invalid("Config.Hosts", "%w", wrong)
	}
	if _, known := styles[c.Demangle]; err == nil && !known {
		err = invalid("Config.Demangle", `is %q; it must be "", "templates", "short", "full" or "none"`, c.Demangle)
	}
	return c, err
}

// absolute makes the directories of the black box absolute, because the program may change its working directory.
func (c *Config) absolute() (err error) {
	if c.BlackBox == "" {
		return nil
	}
	if c.BlackBox, err = filepath.Abs(c.BlackBox); err != nil {
		return invalid("Config.BlackBox", "cannot be found: %w", err)
	}
	if c.RecoverDir == "" {
		c.RecoverDir = c.BlackBox
	}
	if c.RecoverDir, err = filepath.Abs(c.RecoverDir); err != nil {
		return invalid("Config.RecoverDir", "cannot be found: %w", err)
	}
	return nil
}

func orDefault[N int | int64](n, otherwise N) N {
	if n == 0 {
		return otherwise
	}
	return n
}

func within(field string, value, least, most int64) error {
	if value < least || value > most {
		return invalid("Config."+field, "is %d; it must be 0 or from %d to %d", value, least, most)
	}
	return nil
}

// styles are the values of Demangle.
var styles = map[string]symbolize.Style{
	"": symbolize.Templates, "templates": symbolize.Templates, "short": symbolize.Short, "full": symbolize.Full, "none": symbolize.Mangled,
}

func (c Config) names() symbolize.Options {
	return symbolize.Options{Style: styles[c.Demangle], HiddenFrames: c.HiddenFrames, DebugDirs: c.DebugDirs, Debuginfod: c.Debuginfod,
		UnpackBytes: c.UnpackBytes}
}

// described is what a black box says of the configuration.
func (c Config) described() map[string]any {
	return map[string]any{"SampleBytes": c.SampleBytes, "MaxDepth": c.MaxDepth, "TableBytes": c.TableBytes,
		"GoroutineLabels": c.GoroutineLabels, "ThreadNames": c.ThreadNames}
}

func (c Config) options() alloc.Options {
	return alloc.Options{SampleBytes: c.SampleBytes, MaxDepth: c.MaxDepth, TableBytes: c.TableBytes,
		Goroutines: c.GoroutineLabels, ThreadNames: c.ThreadNames, NoteBytes: c.noteBytes()}
}

// FieldError reports which field of a Config, a Selection or a DumpConfig is invalid, and why.
type FieldError struct {
	Field string // qualified: "Config.MaxDepth", "DumpConfig.HighWater.RSS"
	Err   error  // why: a sentence whose subject is the field, such as "is -1; it must be ..."
}

func (e *FieldError) Error() string { return "cgoheap: " + e.Field + " " + e.Err.Error() }
func (e *FieldError) Unwrap() error { return e.Err }

func invalid(field, format string, args ...any) error {
	return &FieldError{Field: field, Err: fmt.Errorf(format, args...)}
}
