//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// Go's heap grows by hundreds of megabytes, from a goroutine that calls C, while others map.
func TestGosHeapIsGos(t *testing.T) {
	r := start(t, everything)
	var held [][]byte
	for range 40 {
		held = append(held, make([]byte, 8<<20))
		victim.Unmap(mapIt(page), page)
	}
	list, _ := mapped(t, r)
	ofGo := uint64(0)
	for i := range list {
		m := &list[i]
		if m.Kind == account.Go {
			ofGo += m.Limit - m.Start
			if len(m.Frames) != 0 {
				t.Errorf("Go's has a stack: %x", m.Frames)
			}
			continue
		}
		for _, block := range held {
			first := uint64(uintptr(unsafe.Pointer(&block[0])))
			if first < m.Limit && m.Start < first+uint64(len(block)) {
				t.Fatalf("Go's memory at %#x is blamed on %x", first, m.Frames)
			}
		}
		for _, f := range m.Frames {
			if strings.HasPrefix(goFunction(f), "runtime.sysM") || strings.HasPrefix(goFunction(f), "runtime.sysR") {
				t.Errorf("a call of the runtime's has a stack")
			}
		}
	}
	if ofGo == 0 {
		t.Error("nothing is Go's, though its heap grew by 320 MiB")
	}
	runtime.KeepAlive(held)
}

// What Go's runtime mapped before a recording, or between two, is Go's.
func TestGosHeapOfBeforeIsGos(t *testing.T) {
	var blocks [3][]byte
	for i := range blocks {
		blocks[i] = make([]byte, 80<<20) // larger than the runtime maps at once
		r := start(t, everything)
		list, kernel := mapped(t, r)
		for _, b := range blocks[:i+1] {
			if m := at(list, unsafe.Pointer(&b[len(b)/2])); m == nil || m.Kind != account.Go || !m.Fits(false, false) {
				t.Errorf("a block of Go's heap is in %+v", m)
			}
		}
		if ranges := beyond(list, kernel); len(ranges) > 0 {
			t.Errorf("nothing is mapped at %x", ranges)
		}
		stop(t, r)
	}
	runtime.KeepAlive(blocks)
}

func TestRangesOfGosBesideRecordedOnes(t *testing.T) {
	const size = 24
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var owner [size]uint16 // of each page: 0, or 1 + kind
		var recorded, gos []cgo.Mapped
		for range random.IntN(5) {
			at := random.Uint64N(size)
			gos = append(gos, cgo.Mapped{Start: at, Limit: at + 1 + random.Uint64N(size-at), Kind: layout.MappedGo})
			for p := at; p < gos[len(gos)-1].Limit; p++ {
				owner[p] = 1 + layout.MappedGo
			}
		}
		for at := random.Uint64N(size); at < size; at += 1 + random.Uint64N(size) {
			m := cgo.Mapped{Start: at, Limit: at + 1 + random.Uint64N(size-at), Kind: layout.MappedProgram}
			recorded = append(recorded, m)
			for at = m.Start; at < m.Limit; at++ {
				owner[at] = 1 + layout.MappedProgram
			}
		}
		var got [size]uint16
		last := uint64(0)
		for _, m := range appendWithGos(nil, recorded, gos) {
			if m.Start < last || m.Start >= m.Limit {
				t.Fatalf("%+v begins below %d", m, last)
			}
			for last = m.Start; last < m.Limit; last++ {
				got[last] = 1 + m.Kind
			}
		}
		if got != owner {
			t.Fatalf("%v, want %v", got, owner)
		}
	}
}
