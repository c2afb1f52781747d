package cgoheap

import (
	"errors"

	"github.com/cgoheap/cgoheap/internal/holders"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Selection selects what a profile shows. The zero value is what WriteProfile writes: all native memory in use now, but for
// that of devices (ViewDevice), and beside it all that was allocated since Start.
type Selection struct {
	View View

	// Advance moves the view's Baseline to the moment of this profile once the profile is written, so that the next delta
	// begins there. It needs a view with a Baseline: ViewDelta or ViewGrowth.
	Advance bool

	// GoHeap adds Go's own heap, as of the last garbage collection: samples have the label "heap", "go" or "native". Go
	// keeps the numbers for ViewInUse, ViewAllocated, ViewDelta and ViewGrowth only.
	GoHeap bool

	// MaxSamples and MaxBytes (before compression) bound the profile. A profile beyond a bound keeps the samples with the
	// largest shares of the bytes allocated and in use, and adds the rest up in one sample called "other"; with GoHeap, in
	// one for each heap. 0 means no bound. Bounds too small even for those samples are an error.
	MaxSamples int
	MaxBytes   int64

	// A function without a name, in a stripped library, is named after its file and start address: libvips.so.42+0x1a340.
	// Its location keeps the address, but Parca and Pyroscope look a name up only where a location has none. BareAddresses
	// leaves such locations without any name, for a server that has the debug files. Package export sets it, unless its
	// Config.NameByFile is set.
	BareAddresses bool

	// Compression is the level of gzip, from 1, the fastest, to 9, the smallest; 0 means 1, and -1 means no compression.
	// Tools that read profiles accept all of them.
	Compression int
}

// request is a selection with what its profile is made with.
type request struct {
	Selection
	memory *scratch.Memory       // holds the samples, if nothing keeps them
	ended  <-chan struct{}       // nobody waits for the profile any more once it is closed
	names  *symbolize.Symbolizer // for ViewHeldBy
	learn  learner               // what a copy of the process finds goes there
	held   []holders.Holder      // of ViewHeldBy: what the roots of the samples are
	text   bool                  // the profile is for a person
}

// check returns the selection with its defaults, or an error that names the invalid field.
func (s Selection) check() (Selection, error) {
	s.View = s.View.withDefaults()
	err := s.View.check()
	if err == nil {
		err = s.checkFields()
	}
	return s, err
}

func (s *Selection) checkFields() error {
	v := s.View
	switch {
	case s.Advance && v.since == nil:
		return invalid("Selection.Advance", "needs a view with a Baseline, and the view is %v", v)
	case s.GoHeap && !viewings[v.kind].compares && v.kind != viewRSS:
		return invalid("Selection.GoHeap", "does not go with the view %v: Go keeps no such numbers", v)
	case s.MaxSamples < 0:
		return invalid("Selection.MaxSamples", "is %d; it may not be negative", s.MaxSamples)
	case s.MaxBytes < 0:
		return invalid("Selection.MaxBytes", "is %d; it may not be negative", s.MaxBytes)
	case s.Compression < int(pprof.Uncompressed) || s.Compression > 9:
		return invalid("Selection.Compression", "is %d; it must be from -1 to 9", s.Compression)
	}
	return nil
}

// picks reports whether the samples are needed as a list, to choose among them or to add the Go heap's.
func (s *request) picks() bool {
	return s.GoHeap || s.View.kind == viewRSS || s.View.kind == viewHeldBy || s.MaxSamples > 0 || s.MaxBytes > 0 || s.text
}

// in turns an error about a Selection into one about the field that holds it.
func in(field string, err error) error {
	if inner := (*FieldError)(nil); errors.As(err, &inner) {
		return &FieldError{Field: field + inner.Field[len("Selection"):], Err: inner.Err}
	}
	return err
}
