//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"encoding/xml"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// Two roads to what is free: the walk through the chunks, and glibc's own sums over its bins.
func TestChunksAgreeWithMallinfo(t *testing.T) {
	eachKind(t, func(t *testing.T) {
		agree(t, func() string {
			k := ofGlibc(t)
			sums := mallinfo2(cgo.RealFunction("mallinfo2"))
			if k.InUse == sums.inUse && k.Free == sums.free && k.ShareRead == 1 {
				return ""
			}
			return fmt.Sprintf("%d bytes in use and %d free in %g of the heaps; mallinfo2: %d and %d", k.InUse, k.Free, k.ShareRead, sums.inUse, sums.free)
		})
	})
}

// agree compares until nothing differs: a thread of the Go runtime may allocate between the two looks, or make an arena.
func agree(t *testing.T, difference func() string) {
	t.Helper()
	for begin := time.Now(); ; {
		differ := difference()
		if differ == "" {
			return
		}
		if time.Since(begin) > 10*time.Minute {
			t.Fatal(differ)
		}
	}
}

// heapInfo is an arena in the XML of glibc's malloc_info.
type heapInfo struct {
	Number int `xml:"nr,attr"`
	Totals []struct {
		Type string `xml:"type,attr"`
		Size uint64 `xml:"size,attr"`
	} `xml:"total"`
	System []struct {
		Type string `xml:"type,attr"`
		Size uint64 `xml:"size,attr"`
	} `xml:"system"`
}

func heapInfos(t *testing.T) []heapInfo {
	t.Helper()
	text, ok := victim.MallocInfo()
	if !ok {
		t.Skip("this libc has no arenas")
	}
	var info struct {
		Heaps []heapInfo `xml:"heap"`
	}
	if err := xml.Unmarshal([]byte(text), &info); err != nil {
		t.Fatal(err)
	}
	return info.Heaps
}

// free sums what is in the arena's lists, and at its end.
func (h *heapInfo) free() (sum uint64) {
	for _, total := range h.Totals {
		sum += total.Size
	}
	return sum
}

// Two roads to what each arena has: the walk through its chunks, and glibc's own sums over its bins.
func TestArenasAgreeWithMallocInfo(t *testing.T) {
	eachKind(t, func(t *testing.T) {
		agree(t, func() string {
			k := ofGlibc(t)
			addsUp(t, k)
			return difference(k, heapInfos(t))
		})
	})
}

// difference returns a sentence about an arena of which the walk and malloc_info do not say the same.
func difference(k Kept, infos []heapInfo) string {
	const between = 16 << 10 // what others, and malloc_info itself, may allocate or free between the two
	if len(infos) != len(k.ByArena) || k.ShareRead != 1 {
		return fmt.Sprintf("%d arenas of which %g was looked at; malloc_info has %d", len(k.ByArena), k.ShareRead, len(infos))
	}
	for i, a := range k.ByArena {
		free, system := infos[i].free(), infos[i].System[0].Size
		if a.Number != infos[i].Number || math.Abs(float64(a.Free)-float64(free)) > between ||
			a.Number > 0 && math.Abs(float64(a.InUse)-float64(system-free)) > between ||
			a.Trimmable > a.FreeResident || a.Pinned > a.FreeResident || a.FreeResident > a.Free {
			return fmt.Sprintf("%+v; malloc_info: %d bytes free of %d", a, free, system)
		}
	}
	return ""
}
