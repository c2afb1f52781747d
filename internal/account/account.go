package account

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Account is a list of lines that add up to RSS.
type Account struct {
	Time   time.Time
	Lines  []Line // without empty ones, the largest first
	RSS    Size   // their sum; if not all could be read, Unexplained makes it the kernel's figure, if that is known
	Malloc []Malloc
	Err    error // why it is incomplete; nil if it is complete
}

// Recorded sums up the recorded blocks of malloc in use, in bytes.
type Recorded struct {
	Exact    bool  // every allocation is recorded, so that nothing here is an estimate
	Size           // of the blocks
	Bytes    int64 // that the program asked for, touched or not
	Overhead int64 // what the allocator adds to them
	InRead   int64 // of Bytes and Overhead, what lies in Malloc.Read
	Error    int64 // half of the 95 % interval of the blocks' bytes, which sampling makes
	Interval int64 // mean bytes between samples, if it is not Exact
}

// Account returns the account of a survey, with the recorded blocks.
func (v *Survey) Account(r Recorded) *Account {
	v.Settle(0, nil, nil) // if nobody has
	a := &Account{Time: v.Time, Malloc: v.malloc, Err: v.why()}
	v.golangLines(a)
	missing := v.askForBlocks()
	unknown := v.of(nobody, anonymous)
	unknown.minus(v.mallocLines(a, r, unknown))
	v.mappedLines(a, unknown, missing)
	v.fileLines(a)
	for i := range a.Lines {
		a.RSS.plus(a.Lines[i].Size)
	}
	a.compare(v)
	a.Lines = slices.DeleteFunc(a.Lines, func(l Line) bool { return l.Size == Size{} && l.Err == nil })
	slices.SortStableFunc(a.Lines, func(x, y Line) int { return cmp.Compare(y.Resident, x.Resident) })
	return a
}

func (a *Account) add(name string, k Known, t Size) *Line {
	a.Lines = append(a.Lines, Line{Name: name, Sentence: sentences[name], Size: t, Known: k})
	return &a.Lines[len(a.Lines)-1]
}

// of returns what was found with a holder, of all natures or of some.
func (v *Survey) of(h holder, some ...nature) (sum Size) {
	for n, t := range v.found[h] {
		if len(some) == 0 || slices.Contains(some, nature(n)) {
			sum.plus(t)
		}
	}
	return sum
}

func (v *Survey) golangLines(a *Account) {
	if v.foreign != nil {
		v.foreignGoLines(a)
		return
	}
	inArenas, other, known := v.of(goArena), v.of(goMapped), Counted
	objects, stacks, free, returned := v.golang.divide(inArenas.Resident)
	if v.maps != nil && inArenas.Resident+other.Resident == 0 {
		g := v.golang
		objects, stacks, free, other.Resident, known = g.objects, g.stacks, g.free+g.unused, v.goOther, Figures
	}
	a.add(GoObjects, Figures, Size{objects, inArenas.Swapped})
	a.add(GoStacks, Figures, Size{Resident: stacks})
	l := a.add(GoFree, Figures, Size{Resident: free})
	if returned >= leastReturned {
		l.Sentence += fmt.Sprintf("; %d bytes of it were, and are resident still, or again: the kernel takes such memory once it lacks some", returned)
	}
	a.add(GoOther, known, other)
}

// leastReturned is from how many bytes on it is said that memory was returned to the kernel and is resident.
const leastReturned = 1 << 20

func (v *Survey) mappedLines(a *Account, unknown Size, missing uint64) {
	a.add(Pinned, Counted, v.of(pinned))
	a.add(MappedBy, Counted, v.of(programMap, anonymous, brk, mainStack))
	a.add(CallerUnknown, Rest, unknown)
	last := &a.Lines[len(a.Lines)-1]
	last.alsoMissing(missing)
	if v.maps != nil {
		last.Err = v.maps
	} else if v.unsure.anonymous > 0 {
		last.Err = v.bySums
	}
	stacks := v.of(threadStack)
	stacks.plus(v.of(nobody, mainStack))
	a.add(Stacks, Counted, stacks)
	a.add(StacksEnded, Counted, v.of(endedStack))
	a.add(Tables, Counted, v.of(profiler))
}

// fileLines counts a file that is executable as a program's, whether or not the loader knows it: code made at run time lies
// in memory of the nature of its mapping.
func (v *Survey) fileLines(a *Account) {
	code := v.of(segment, fileCode, kernel)
	files, shared, devices := Size{}, Size{}, v.of(segment, device)
	for h := range holders {
		if h == segment || h == profiler || h == goArena || h == goMapped || h == threadStack || h == endedStack || h == pinned {
			continue
		}
		code.plus(v.of(h, fileCode, kernel))
		files.plus(v.of(h, file, fileWritten))
		shared.plus(v.of(h, sharedMemory))
		devices.plus(v.of(h, device))
	}
	shared.plus(v.of(segment, sharedMemory))
	first := len(a.Lines)
	a.add(Code, Counted, code)
	a.add(Data, Counted, v.of(segment, file))
	a.add(Written, Counted, v.of(segment, anonymous, fileWritten, brk, mainStack))
	a.add(Files, Counted, files)
	a.add(Shared, Counted, shared)
	a.add(DeviceFiles, Counted, devices).Detail = v.deviceNames()
	for i := range a.Lines[first:] {
		l := &a.Lines[first+i]
		if l.Name == DeviceFiles && l.Size == (Size{}) { // most programs map none
			continue
		}
		if l.Err = v.whole; l.Name == Files && v.unsure.files > 0 {
			l.Err = v.bySums
		}
	}
}
