package account

// Pages are handled in runs: pages that follow each other and are alike. There are three ways to find them, and a fourth,
// in sums.go, to know how many there are.
//
//	PAGEMAP_SCAN   from Linux 6.7: the kernel makes the runs, about 4 ms for a GiB of small pages
//	pagemap        8 bytes for each page, three times as long. It has no sign for the zero page, which RSS does not count:
//	               pages that were read and never written count as resident here
//	mincore        if pagemap is refused: anonymous memory only, without swapped pages; together with smaps, if that is readable
//
// None of them stops the program. It waits for the lock of one page table at a time, and where it maps or unmaps memory, for one
// call of these: at most 128 MiB of small pages, about half a millisecond.

const entriesBytes = 256 << 10 // of what the kernel says of pages, at once

// state is what a run's pages are.
type state uint8

const (
	resident       state = iota
	residentOfFile       // and the file's page, not a copy made by writing
	swapped
)

// run is a range of pages that are alike.
type run struct {
	Range
	state state
}

// Size is how much memory there is of something, in bytes.
type Size struct {
	Resident, Swapped int64
}

func (t *Size) add(s state, bytes uint64) {
	if s == swapped {
		t.Swapped += int64(bytes)
	} else {
		t.Resident += int64(bytes)
	}
}

func (t *Size) plus(u Size) {
	t.Resident += u.Resident
	t.Swapped += u.Swapped
}

func (t *Size) minus(u Size) {
	t.Resident -= u.Resident
	t.Swapped -= u.Swapped
}

// pages looks up which pages of areas are resident, and passes them to visit in runs, ascending, each within one area. The areas
// are ascending too, and alike in nature().ofFile().
type pages interface {
	runs(list []area, visit func(*area, run)) error
	close()
}
