package account

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// Sources holds what is known besides the kernel's list.
type Sources struct {
	Tables   func() []Range // the profiler's own, at the moment of the call
	Segments []Range        // of the program and its libraries, as the loader placed them, with what begins as zero
	Mapped   []Mapped       // in the order of addresses; nil if calls are not recorded
	Calls    func() uint64  // the number of the last recorded call; nil if Mapped is right whenever it is asked
	AsOf     uint64         // the same, before Mapped was read
	Malloc   []Malloc
	Stacks   []Stack                                   // that libc knows; empty if unknown
	Fits     func(mapped int, shared, inode bool) bool // whether a range of the kernel's list can be that of Mapped; nil: all can
	Blocks   []Block                                   // blocks in use that are looked up page by page, ascending; Take fills in what is resident
	Pinned   []Block                                   // the same, of memory that a driver has pinned for its devices
	Reported []Block                                   // the same, of blocks that the program reported; Take fills in what is resident and nobody's
	Foreign  *Foreign                                  // of another process; nil: it is this one
	Outside  bool                                      // Survey.Outside is wanted
}

// Block is a block in use. Which is for the caller. Times is how many blocks a reported one stands for.
type Block struct {
	Range
	Size
	Which int
	Times float64
}

// Survey is what was found in the pages of the process: how much of each nature lies with each holder.
type Survey struct {
	Time   time.Time
	Mapped []ByLine // of each of Sources.Mapped that the program mapped
	Unsure bool     // calls were recorded meanwhile, and Mapped is right only of those mappings that are the same afterwards

	unclaimed unclaimed
	outside   *Outside   // nil if it is not wanted
	blocks    []Block    // Sources.Blocks
	reported  blocks     // Sources.Reported
	pinned    blocks     // Sources.Pinned
	given     []Range    // what allocators have mapped block by block
	late      []latePart // for Settle
	listed    []Mapped   // Sources.Mapped
	found     [holders][natures]Size
	devices   map[string]int64 // resident bytes of each device's file
	malloc    []Malloc
	golang    goMemory
	goOther   int64 // by its own figure
	whole     error // why not all pages could be looked up; nil if they were
	maps      error // why the kernel's list could not be read
	blind     error // why no page could be looked up then; nil if those could be of which claims say that they are there
	bySums    error // why all comes from smaps; nil if it does not
	unsure    unsure
	kernel    usage.Kernel
	foreign   *Foreign
	rss       []int64 // the kernel's figures before and after
}

// Take looks up all pages of the process. It works in memory, which the caller frees.
func Take(k usage.Kernel, s *Sources, memory *scratch.Memory) *Survey {
	v := &Survey{Time: time.Now(), Mapped: scratch.Slice[ByLine](memory, len(s.Mapped)), malloc: s.Malloc, listed: s.Mapped, kernel: k, foreign: s.Foreign,
		blocks: s.Blocks, reported: blocks{list: s.Reported}, pinned: blocks{list: s.Pinned}, unclaimed: unclaimed{memory: memory, wanted: hasApart(s.Malloc)},
		outside: s.newOutside()}
	v.readRSS()
	defer v.readRSS()
	l := newLate(s, memory)
	c := s.claims(memory)
	defer c.release()
	p, err := openPages(k.Path("pagemap"))
	defer p.close()
	if s.Foreign == nil {
		v.golang, v.goOther = readGoMemory()
	} else if err != nil { // the other ways look at this process
		v.maps, v.whole = err, err
		return v
	}
	w := walk{survey: v, claims: c, blocks: blocks{list: s.Blocks}, fits: s.Fits, late: l, mapped: s.Mapped, foreign: s.Foreign != nil}
	if s.Foreign == nil || len(s.Foreign.GoPages) > 0 { // else those on goroutines' stacks would make Go's heap a thread's stack
		w.threads = threadPointers(k.Tasks(), s.Stacks)
	}
	defer func() { v.late = w.late.parts }()
	if smaps := k.Path("smaps"); err != nil && readable(smaps) {
		v.bySums = fmt.Errorf("%w; bytes are from smaps, by whole mappings", err)
		if err := w.allSums(p, smaps); err != nil {
			w.unlisted(err)
		}
		v.Unsure = w.late.changed()
		return v
	}
	v.whole = err
	if err := w.allPages(p, k.Path("maps")); err != nil {
		w.unlisted(err)
	}
	return v
}

func (w *walk) allPages(p pages, maps string) error {
	w.late.note()
	empty := true
	for part, err := range parts(maps) {
		if err != nil {
			return err
		}
		empty = empty && len(part) == 0
		for alike := range groups(part) {
			w.survey.note(p.runs(alike, w.run))
		}
		w.late.note()
	}
	if empty {
		return fmt.Errorf("%s: %w", maps, errEmpty)
	}
	return nil
}

// errEmpty is what a list says that cannot be the process's.
var errEmpty = errors.New("there are no mappings in it")

// note keeps the first reason why pages were not looked up.
func (v *Survey) note(err error) {
	if v.whole == nil && !gone(err) {
		v.whole = err
	}
}

// gone reports whether an error means that an area has been unmapped meanwhile, which is no reason.
func gone(err error) bool { return errors.Is(err, syscall.ENOMEM) || errors.Is(err, fs.ErrNotExist) }

// claims enters what is known of addresses, in the order of precedence. The tables come last to be asked for, with the memory
// that was taken until then.
func (s *Sources) claims(memory *scratch.Memory) *claims {
	var blocks []Range
	for i := range s.Malloc {
		blocks = append(blocks, s.Malloc[i].Ranges...)
	}
	c := newClaims(memory, len(s.Segments)+len(blocks)+len(s.Mapped)+len(s.Blocks)+len(s.Pinned)+len(s.Stacks))
	added := scratch.Slice[claim](memory, max(len(s.Mapped), len(s.Blocks), len(s.Pinned)))
	defer scratch.ReleaseSlice(memory, added)
	if s.Tables != nil {
		c.add(claimed(profiler, s.Tables()))
	}
	c.add(claimed(segment, wholePages(s.Segments)))
	c.add(claimed(allocator, blocks))
	c.add(appendMapped(added[:0], s.Mapped, Allocator, allocator))
	c.add(appendBlocks(added[:0], s.Blocks, allocator)) // where the allocator's ranges are not known
	c.add(appendMapped(added[:0], s.Mapped, Profiler, profiler))
	c.add(appendMapped(added[:0], s.Mapped, Go, goMapped))
	c.add(appendBlocks(added[:0], s.Pinned, pinned))
	c.add(appendMapped(added[:0], s.Mapped, Program, programMap))
	if s.Foreign != nil {
		c.add(claimed(goMapped, s.Foreign.GoPages)) // what was recorded is certain
	}
	c.add(stacksOf(s.Stacks, threadStack))
	c.add(stacksOf(s.Stacks, endedStack))
	return c
}

// appendMapped appends the claims of the ranges of a kind.
func appendMapped(claims []claim, list []Mapped, k Kind, h holder) []claim {
	for i := range list {
		if list[i].Kind == k {
			claims = append(claims, claim{list[i].Range, h, int32(i)})
		}
	}
	return claims
}

func appendBlocks(claims []claim, blocks []Block, h holder) []claim {
	for i := range blocks {
		claims = append(claims, claim{blocks[i].wholePages(), h, -1})
	}
	return claims
}

func claimed(h holder, ranges []Range) []claim {
	list := make([]claim, len(ranges))
	for i, r := range ranges {
		list[i] = claim{Range: r, holder: h, which: -1}
	}
	return list
}

// ByLine is what was found in a range that the program mapped, by the line that it counts for.
type ByLine struct {
	Anonymous, Files, Shared, Devices Size
}

func (b *ByLine) add(n nature, s state, bytes uint64) {
	if to := b.size(n); to != nil {
		to.add(s, bytes)
	}
}

// size is nil for code, which counts for the program.
func (b *ByLine) size(n nature) *Size {
	switch n {
	case anonymous, brk, mainStack:
		return &b.Anonymous
	case sharedMemory:
		return &b.Shared
	case device:
		return &b.Devices
	case file, fileWritten:
		return &b.Files
	}
	return nil
}
