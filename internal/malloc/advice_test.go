package malloc

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/account"
)

func TestAdvice(t *testing.T) {
	const gib, mib = 1 << 30, 1 << 20
	for about, c := range map[string]struct {
		kept account.Malloc
		rss  uint64
		want string
	}{
		"many arenas": {
			account.Malloc{Name: "glibc", Arenas: 28, HasResidency: true, ShareRead: 1, FreeResident: 1229 * mib, Trimmable: 1127 * mib}, 2 * gib,
			"1.2 GiB of RSS is free memory in 28 arenas; MALLOC_ARENA_MAX=2, or POST /debug/cgoheap/trim (header X-Cgoheap: 1), returns about 1.1 GiB to the kernel",
		},
		"many arenas, of which one has nearly all": {
			account.Malloc{Name: "glibc", Arenas: 5, HasResidency: true, ShareRead: 1, FreeResident: 500 * mib, Trimmable: 400 * mib,
				ByArena: []account.Arena{{Number: 0, FreeResident: 480 * mib}, {Number: 1, FreeResident: 20 * mib}, {Number: 2}, {Number: 3}, {Number: 4}}}, gib,
			"500.0 MiB of RSS is free memory in 2 of 5 arenas; POST /debug/cgoheap/trim (header X-Cgoheap: 1) returns about 400.0 MiB to the kernel",
		},
		"many arenas, of which two have most": {
			account.Malloc{Name: "glibc", Arenas: 5, HasResidency: true, ShareRead: 1, FreeResident: 500 * mib, Trimmable: 400 * mib,
				ByArena: []account.Arena{{FreeResident: 200 * mib}, {FreeResident: 100 * mib}, {FreeResident: 80 * mib}, {FreeResident: 60 * mib}, {FreeResident: 60 * mib}}}, gib,
			"500.0 MiB of RSS is free memory in 5 arenas; POST /debug/cgoheap/trim (header X-Cgoheap: 1) returns about 400.0 MiB to the kernel",
		},
		"many arenas that have as much as each other": {
			account.Malloc{Name: "glibc", Arenas: 5, HasResidency: true, ShareRead: 1, FreeResident: 500 * mib, Trimmable: 400 * mib,
				ByArena: []account.Arena{{FreeResident: 100 * mib}, {FreeResident: 100 * mib}, {FreeResident: 100 * mib}, {FreeResident: 100 * mib}, {FreeResident: 100 * mib}}}, gib,
			"500.0 MiB of RSS is free memory in 5 arenas; MALLOC_ARENA_MAX=2, or POST /debug/cgoheap/trim (header X-Cgoheap: 1), returns about 400.0 MiB to the kernel",
		},
		"one arena": {
			account.Malloc{Name: "glibc", Arenas: 1, HasResidency: true, ShareRead: 1, FreeResident: 500 * mib, Trimmable: 400 * mib}, gib,
			"500.0 MiB of RSS is free memory that glibc keeps; POST /debug/cgoheap/trim (header X-Cgoheap: 1) returns about 400.0 MiB to the kernel",
		},
		"another allocator": {
			account.Malloc{Name: "jemalloc", Arenas: 8, HasResidency: true, ShareRead: 1, FreeResident: 500 * mib, Trimmable: 400 * mib}, gib,
			"500.0 MiB of RSS is free memory in 8 arenas; POST /debug/cgoheap/trim (header X-Cgoheap: 1) returns about 400.0 MiB to the kernel",
		},
		"pinned": {
			account.Malloc{Name: "glibc", Arenas: 28, HasResidency: true, ShareRead: 1, FreeResident: 500 * mib, Trimmable: 10 * mib, Pinned: 480 * mib}, gib,
			"500.0 MiB of RSS is free memory in 28 arenas, of which 480.0 MiB lies on pages that blocks in use share, so a trim returns only 10.0 MiB to the kernel",
		},
		"an estimate": {
			account.Malloc{Name: "glibc", Arenas: 1, HasResidency: true, ShareRead: 0.998, FreeResident: 500 * mib, Trimmable: 400 * mib}, gib,
			"500.0 MiB of RSS is free memory that glibc keeps; POST /debug/cgoheap/trim (header X-Cgoheap: 1) returns about 400.0 MiB to the kernel " +
				"(estimated from 99 % of glibc's memory: there was no time for more)",
		},
		"an estimate from little": {
			account.Malloc{Name: "glibc", Arenas: 1, HasResidency: true, ShareRead: 0.06, FreeResident: 500 * mib, Trimmable: 1 * mib}, gib,
			"500.0 MiB of RSS is free memory that glibc keeps, by an estimate: there was time to read 6 % of it, " +
				"too little to say how much POST /debug/cgoheap/trim (header X-Cgoheap: 1) returns to the kernel",
		},
		"little":       {account.Malloc{HasResidency: true, ShareRead: 1, FreeResident: 40 * mib, Trimmable: 40 * mib}, gib, ""},
		"few":          {account.Malloc{HasResidency: true, ShareRead: 1, FreeResident: 20 * mib, Trimmable: 20 * mib}, 30 * mib, ""},
		"nobody knows": {account.Malloc{Unknown: "no time was left"}, gib, ""},
	} {
		if got := Advice(&c.kept, c.rss); got != c.want {
			t.Errorf("%s: %q, want %q", about, got, c.want)
		}
	}
}
