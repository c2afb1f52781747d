package cgoheap

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/pprof"
)

// Selection says what a profile is to show. The zero value is what WriteProfile writes: what is in use now, and beside it
// what was allocated since Start, all of it, of native memory.
type Selection struct {
	View      View
	OlderThan time.Duration // Age: only blocks that are at least this old, to about 20 ms
	Within    time.Duration // ShortLived: how soon; 100ms, 1s, 10s, 1m, 10m or 1h, and 0 means 1s

	// With a Moment the profile is a delta: of InUse and Allocated, what was allocated since then beside all that is in
	// use; of Growth, which needs one, the change of what is in use.
	Since   *Moment
	Advance bool // once the profile is written, Since becomes its moment, so that the next delta begins there

	// Go's own heap as well, as of the last garbage collection: samples have the label "heap", "go" or "native".
	GoHeap bool

	// A profile with more samples, or more bytes before compression, keeps those with the largest shares of the bytes
	// allocated and in use, and adds the others up in one that is called "other"; with GoHeap in one for each heap. 0
	// means no bound; bounds that not even those keep are an error.
	MaxSamples int
	MaxBytes   int64

	// A function that has no name, in a stripped library, is called by its file and where it begins: libvips.so.42+0x1a340.
	// Its location keeps the address, but Parca and Pyroscope look for names only where a location has none at all. With
	// BareAddresses it has none, for a server that has the debug files.
	BareAddresses bool

	Compression pprof.Compression // fast gzip if it is zero

	memory *scratch.Memory // of the samples, if nothing keeps them
	text   bool            // the profile is for a person
}

// check fills in what is zero, and names the field that makes no sense.
func (s Selection) check() (Selection, error) {
	if int(s.View) >= len(viewings) {
		return s, nonsense("View", "is %v; there is no such view", s.View)
	}
	if s.View == ShortLived && s.Within == 0 {
		s.Within = time.Second
	}
	return s, errors.Join(s.checkTimes(), s.checkSince(), s.checkBounds())
}

func (s *Selection) checkTimes() error {
	switch {
	case s.OlderThan < 0 || s.OlderThan != 0 && s.View != Age:
		return nonsense("OlderThan", "is %v; it is for the view age, and not negative", s.OlderThan)
	case s.Within != 0 && s.View != ShortLived:
		return nonsense("Within", "is %v; it is for the view shortlived", s.Within)
	case s.View == ShortLived && !slices.Contains(alloc.Lifetimes(), s.Within):
		return nonsense("Within", "is %v; it must be one of %v", s.Within, alloc.Lifetimes())
	}
	return nil
}

func (s *Selection) checkSince() error {
	compares := viewings[s.View].compares
	switch {
	case s.Since != nil && !compares:
		return nonsense("Since", "does not go with the view %v", s.View)
	case s.Since == nil && s.View == Growth:
		return nonsense("Since", "is needed by the view growth")
	case s.Since == nil && s.Advance:
		return nonsense("Since", "is needed by Advance")
	case s.GoHeap && !compares:
		return nonsense("GoHeap", "does not go with the view %v: Go keeps no such numbers", s.View)
	}
	return nil
}

func (s *Selection) checkBounds() error {
	switch {
	case s.MaxSamples < 0:
		return nonsense("MaxSamples", "is %d; it may not be negative", s.MaxSamples)
	case s.MaxBytes < 0:
		return nonsense("MaxBytes", "is %d; it may not be negative", s.MaxBytes)
	}
	return nil
}

// picks reports whether the samples are needed as a list: to choose among them, or to put others beside them.
func (s *Selection) picks() bool {
	return s.GoHeap || s.MaxSamples > 0 || s.MaxBytes > 0 || s.text
}

// fieldError says of a field of Selection why it makes no sense.
type fieldError struct{ field, says string }

func nonsense(field, format string, args ...any) error {
	return fieldError{field, fmt.Sprintf(format, args...)}
}

func (e fieldError) Error() string { return "cgoheap: Selection." + e.field + " " + e.says }
