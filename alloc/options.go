package alloc

import (
	"errors"
	"iter"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// ErrRunning reports that the process is recording already: there is one malloc, and one recording of it at a time.
var ErrRunning = errors.New("a recording is running already")

// errStopped reports that the recording has ended.
var errStopped = errors.New("the recording has been stopped")

// ErrUnsupported reports that this build or platform cannot record.
var ErrUnsupported = errors.New("not supported")

// Options are the options of a recording. All values must be set; package cgoheap has the defaults.
type Options struct {
	SampleBytes int64                             // mean bytes between samples; 1 records everything
	MaxDepth    int                               // frames kept per stack, at most 512
	TableBytes  int64                             // bound on the tables
	Goroutines  bool                              // samples have the labels of runtime/pprof.Do
	ThreadNames bool                              // samples have the label "thread"
	Seed        uint64                            // 0: a new one for each recording
	Modules     func() ([]mappings.Module, error) // where loaded files are read; nil: the kernel or the loader
	Failed      func(error)                       // receives a panic in a goroutine of the recording; may be nil
	File        func() File                       // called once, for a file that the tables lie in; nil for memory of the process
	About       []byte                            // describes the process, for those that read File
	NoteBytes   int                               // room in the tables for the flight recorder's notes; 0 for none
}

// File is a file of TableBytes zeroes, mapped. The recording has the pages from then on, also if it does not begin.
type File struct {
	Pages         unsafe.Pointer
	Path          string
	Device, Inode uint64
}

// Snapshot is a profile and the modules that its frames lie in.
type Snapshot struct {
	stack.Profile
	Modules []*mappings.Module // at index ID − 1
	Main    *mappings.Module   // the executable; nil if the loaded files could not be read
	Peak    time.Time          // of Recording.PeakIn: when the peak was
	Account *account.Account   // of Recording.ResidentIn

	// Of Recording.ResidentIn, too: what is resident of memory that recorded calls have mapped, by the line of the Account.
	Mapped map[string][]stack.Sample

	Notes []string // how it was found, in sentences

	packed *tables.Samples // those that are not in Samples
}

// madeID is the number of the module of code made at run time.
const madeID stack.ModuleID = 64000

// madeModule is the module of all code made at run time.
var madeModule = mappings.Made(madeID, nil)

// Module returns the module with this number; nil for 0.
func (s *Snapshot) Module(id stack.ModuleID) *mappings.Module {
	if id == madeID {
		return madeModule
	}
	if id == 0 || int(id) > len(s.Modules) {
		return nil
	}
	return s.Modules[id-1]
}

// EachPacked yields the samples that are not in Samples. A sample and its frames are valid until the next is yielded.
func (s *Snapshot) EachPacked() iter.Seq[*stack.Sample] {
	if s.packed == nil {
		return func(func(*stack.Sample) bool) {}
	}
	return s.packed.Each()
}

// Unpack moves the samples that SnapshotIn left packed into Samples.
func (s *Snapshot) Unpack() {
	if s.packed != nil {
		s.Samples = s.packed.Unpack()
		s.packed = nil
	}
}

// ClassOf returns the class of a sample of ClassesIn.
func ClassOf(s *stack.Sample) int { return tables.ClassOf(s.ID) }

// OnPinnedLine reports whether a sample of ResidentIn is of memory that the account has on the line account.Pinned.
func OnPinnedLine(s *stack.Sample) bool { return tables.ClassOf(s.ID) >= 0 }
