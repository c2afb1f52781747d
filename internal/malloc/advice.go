package malloc

import (
	"fmt"
	"slices"

	"github.com/cgoheap/cgoheap/internal/account"
)

// There is advice from this much on: bytes that a trim returns, and their share of the resident memory.
const (
	adviceBytes = 32 << 20
	adviceShare = 0.05
	manyArenas  = 4
	arenaShare  = 0.01 // of the free memory, below which an arena does not count
)

// EnoughRead is the share of an allocator's memory that must have been read to say how much of its free memory a trim returns: the rest
// need not be like this part.
const EnoughRead = 0.5

// Advice returns a sentence about the free memory of an allocator that is resident, for a process with this RSS; "" if there is
// little of it.
func Advice(k *account.Malloc, rss uint64) string {
	worth := max(adviceBytes, uint64(adviceShare*float64(rss)))
	switch {
	case !k.HasResidency || k.FreeResident < worth:
		return ""
	case k.ShareRead < EnoughRead:
		return fmt.Sprintf("%s of RSS is free memory that %s keeps, by an estimate: there was time to read %d %% of it, too little to say how much POST /debug/cgoheap/trim (header X-Cgoheap: 1) returns to the kernel",
			mib(k.FreeResident), k.Name, Percent(k.ShareRead))
	case k.Trimmable < worth:
		return fmt.Sprintf("%s of RSS is free memory%s, of which %s lies on pages that blocks in use share, so a trim returns only %s to the kernel%s",
			mib(k.FreeResident), where(k), mib(k.Pinned), mib(k.Trimmable), doubt(k))
	}
	return fmt.Sprintf("%s of RSS is free memory%s; %s about %s to the kernel%s", mib(k.FreeResident), where(k), remedy(k), mib(k.Trimmable), doubt(k))
}

// Percent is a share that was read, as all sentences say it: less than all is not 100, and what was read is not 0.
func Percent(share float64) int { return max(1, int(100*share)) }

// doubt says how little an estimate rests on.
func doubt(k *account.Malloc) string {
	if !k.Estimated() {
		return ""
	}
	return fmt.Sprintf(" (estimated from %d %% of %s's memory: there was no time for more)", Percent(k.ShareRead), k.Name)
}

func where(k *account.Malloc) string {
	if k.Arenas < 2 {
		return " that " + k.Name + " keeps"
	}
	if n, _ := spread(k); n < k.Arenas {
		return fmt.Sprintf(" in %d of %d arenas", n, k.Arenas)
	}
	return fmt.Sprintf(" in %d arenas", k.Arenas)
}

// spread returns how many arenas have a share of the free memory, and how much of it two arenas would have if they were the largest:
// what remains under MALLOC_ARENA_MAX=2. Where the arenas are not known, all count.
func spread(k *account.Malloc) (arenas int, inTwo uint64) {
	if len(k.ByArena) == 0 {
		return k.Arenas, 0
	}
	var free []uint64
	for _, a := range k.ByArena {
		if a.FreeResident >= uint64(arenaShare*float64(k.FreeResident)) {
			arenas++
		}
		free = append(free, a.FreeResident)
	}
	slices.Sort(free)
	for _, n := range free[max(0, len(free)-2):] {
		inTwo += n
	}
	return arenas, inTwo
}

// remedy names what returns memory to the kernel. Each arena keeps its own; MALLOC_ARENA_MAX is glibc's.
func remedy(k *account.Malloc) string {
	if arenas, inTwo := spread(k); k.Name == glibcName && arenas >= manyArenas && inTwo < k.FreeResident/2 {
		return "MALLOC_ARENA_MAX=2, or POST /debug/cgoheap/trim (header X-Cgoheap: 1), returns"
	}
	return "POST /debug/cgoheap/trim (header X-Cgoheap: 1) returns"
}

const glibcName = "glibc"

// mib formats bytes for a sentence.
func mib(n uint64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
