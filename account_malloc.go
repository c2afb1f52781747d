package cgoheap

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/malloc"
	"github.com/cgoheap/cgoheap/internal/report"
)

// AccountMalloc is what one allocator keeps, by its own figures. The lines that begin with "malloc:" are the sum over all allocators.
type AccountMalloc struct {
	Name   string `json:"name"`   // "glibc", "jemalloc", ...
	Arenas int    `json:"arenas"` // how many it has; 0 if unknown, or if it has none

	// Free bytes are resident, and no block in use lies in them. Trimmable is the part that Trim returns to the kernel: whole
	// pages. Pinned is the part on pages that blocks in use lie on as well. What is in neither, malloc keeps at the end of an
	// arena.
	InUse     int64 `json:"in_use"`
	Free      int64 `json:"free"`
	Trimmable int64 `json:"trimmable"`
	Pinned    int64 `json:"pinned"`

	// ShareRead is the share of the allocator's resident memory that was read, from 0 to 1. If it is less than 1, the figures
	// are estimated: Free from the recorded blocks in use, Trimmable and Pinned as if the rest were like this part.
	ShareRead float64 `json:"share_read"`

	ByArena   []AccountArena `json:"by_arena,omitempty"`   // in the allocator's order; their sums are the figures above
	ReadError string         `json:"read_error,omitempty"` // why figures are missing; "" if there are all
}

// AccountArena has the figures of AccountMalloc for one arena. Number is the allocator's own number: glibc's first
// arena, which grows by brk, is 0.
type AccountArena struct {
	Number    int   `json:"number"`
	InUse     int64 `json:"in_use"`
	Free      int64 `json:"free"`
	Trimmable int64 `json:"trimmable"`
	Pinned    int64 `json:"pinned"`
}

func newAccountMalloc(m *account.Malloc) AccountMalloc {
	made := AccountMalloc{Name: m.Name, Arenas: m.Arenas, InUse: int64(m.InUse), Free: int64(m.FreeResident),
		Trimmable: int64(m.Trimmable), Pinned: int64(m.Pinned), ShareRead: m.ShareRead, ReadError: m.Unknown}
	for _, a := range m.ByArena {
		made.ByArena = append(made.ByArena, AccountArena{Number: a.Number, InUse: int64(a.InUse), Free: int64(a.FreeResident),
			Trimmable: int64(a.Trimmable), Pinned: int64(a.Pinned)})
	}
	return made
}

// The text names this many arenas, those with the most free memory, if all arenas together have this share of RSS.
const (
	mostArenas = 5
	arenaShare = 0.05
)

// write adds the allocator to a text.
func (m *AccountMalloc) write(t *report.Table) {
	if m.ReadError != "" {
		t.Heading(fmt.Sprintf("free memory of %s: not readable: %s", m.Name, m.ReadError))
		return
	}
	if float64(m.Free) < arenaShare*float64(t.Total) {
		return
	}
	name := "free memory of " + m.Name
	if m.ShareRead > 0 && m.ShareRead < malloc.EnoughRead {
		t.Heading(fmt.Sprintf("%s: estimated, from %d %% of its memory; which pages of it a trim would return is not known", name, malloc.Percent(m.ShareRead)))
		return
	}
	if m.ShareRead > 0 && m.ShareRead < 1 {
		name += fmt.Sprintf(" (estimated from %d %% of it)", malloc.Percent(m.ShareRead))
	}
	t.Columns(name, "resident", "trimmable", "pinned")
	for _, a := range m.largest() {
		t.Row(a.name, a.Free, a.Trimmable, a.Pinned)
	}
	t.Row(m.all(), m.Free, m.Trimmable, m.Pinned)
}

type namedArena struct {
	AccountArena
	name string
}

// largest returns the arenas with the most free memory, and the sum of the others. If there is only one, it returns none.
func (m *AccountMalloc) largest() (list []namedArena) {
	arenas := slices.Clone(m.ByArena)
	slices.SortStableFunc(arenas, func(a, b AccountArena) int { return cmp.Compare(b.Free, a.Free) })
	for i, a := range arenas {
		if rest := arenas[i:]; i == mostArenas && len(rest) > 1 {
			return append(list, namedArena{sumOf(rest), fmt.Sprintf("%d other arenas", len(rest))})
		}
		list = append(list, namedArena{a, fmt.Sprintf("arena %d", a.Number)})
	}
	if len(list) == 1 {
		return nil
	}
	return list
}

func (m *AccountMalloc) all() string {
	switch m.Arenas {
	case 0:
		return "in all"
	case 1:
		return "in its one arena"
	}
	return fmt.Sprintf("in all %d arenas", m.Arenas)
}

func sumOf(arenas []AccountArena) (sum AccountArena) {
	for _, a := range arenas {
		sum.InUse, sum.Free = sum.InUse+a.InUse, sum.Free+a.Free
		sum.Trimmable, sum.Pinned = sum.Trimmable+a.Trimmable, sum.Pinned+a.Pinned
	}
	return sum
}
