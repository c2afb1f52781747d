//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"context"
	"encoding/binary"
	"runtime/pprof"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// copied is the region of a recording that has some of everything.
func copied(t testing.TB) []byte {
	t.Helper()
	o := Options{SampleBytes: 1, MaxDepth: 64, TableBytes: 8 << 20, Goroutines: true, ThreadNames: true}
	o.Modules = func() ([]mappings.Module, error) { return nil, nil } // rows would be most of it
	r, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []unsafe.Pointer
	pprof.Do(t.Context(), pprof.Labels("tenant", "a"), func(context.Context) {
		for size := range uintptr(600) { // most of them together
			blocks = append(blocks, victim.Malloc(size))
		}
	})
	free(blocks[:300])
	if _, err := r.Snapshot(); err != nil {
		t.Fatal(err)
	}
	words := make([]uint64, len(cgo.Region())/8) // aligned
	all := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	copy(all, cgo.Region())
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	free(blocks[300:])
	return all
}

// site is the offset of a sample's site.
func site(s *stack.Sample) uint64 { return tables.Offset(uint32(s.ID)) }

// nonzero returns the offsets of the words that are not zero. None of them is the filter's.
func nonzero(all []byte) (offsets []int) {
	for at := 0; at+8 <= len(all); at += 8 {
		if binary.NativeEndian.Uint64(all[at:]) != 0 {
			offsets = append(offsets, at)
		}
	}
	return offsets
}

// readAll reads every table of a region, and checks what holds of any.
func readAll(t *testing.T, all tables.Region) (samples []stack.Sample) {
	t.Helper()
	read := tables.NewReader(all, tables.Options{Depth: 64, Seed: 1, Ticks: 1 << 40}, nil)
	list := read.Settled().Unpack()
	if most := len(all) / (layout.SizeofSite + layout.SizeofFlow); len(list) > most {
		t.Fatalf("%d samples, and room for %d", len(list), most)
	}
	for _, s := range list {
		if len(s.Frames) > 64 || len(s.Labels) > layout.LabelsMost {
			t.Fatalf("%d frames, %d labels", len(s.Frames), len(s.Labels))
		}
	}
	blocks := 0
	read.Blocks(func(b tables.Block) {
		blocks++
		read.SizeOf(&b)
	})
	if most := len(all) / layout.SizeofBlock * layout.Levels; blocks > most {
		t.Fatalf("%d blocks, and room for %d", blocks, most)
	}
	if n := len(read.OfAge(0).Unpack()); n > blocks {
		t.Fatalf("%d samples by age of %d blocks", n, blocks)
	}
	return list
}

// word is the size of a change: which word, and what it becomes.
const word = 2 + 8

// FuzzRegion changes words of a true region, or reads bytes that were never one.
func FuzzRegion(f *testing.F) {
	all := copied(f)
	offsets := nonzero(all)
	f.Add([]byte{}, false)
	f.Add([]byte{9, 0, 255, 255, 255, 255, 255, 255, 255, 255, 10, 0, 8, 0, 0, 0, 0, 0, 0, 0}, false)
	f.Add(all[:4096], true)
	f.Fuzz(func(t *testing.T, changes []byte, whole bool) {
		if whole {
			words := make([]uint64, len(changes)/8+1)
			other := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
			copy(other, changes)
			readAll(t, other)
			return
		}
		for ; len(changes) >= word; changes = changes[word:] {
			at := all[offsets[int(binary.LittleEndian.Uint16(changes))%len(offsets)]:]
			was := binary.NativeEndian.Uint64(at)
			binary.NativeEndian.PutUint64(at, binary.LittleEndian.Uint64(changes[2:]))
			defer binary.NativeEndian.PutUint64(at, was)
		}
		readAll(t, all)
	})
}

func TestARegionIsReadFromACopy(t *testing.T) {
	t.Run("it says what the recording said", func(t *testing.T) {
		if list := readAll(t, copied(t)); len(list) < 17 { // of one stack
			t.Errorf("%d samples", len(list))
		}
	})

	t.Run("sites that lead back to others end", func(t *testing.T) {
		all := copied(t)
		list := readAll(t, all)
		for i := range list {
			binary.NativeEndian.PutUint32(all[site(&list[i]):], uint32(list[0].ID))
			binary.NativeEndian.PutUint32(all[site(&list[i])+4:], uint32(list[0].ID))
		}
		readAll(t, all)
	})

	t.Run("a stack ends at a node that is said to be its own caller", func(t *testing.T) {
		all := copied(t)
		first := readAll(t, all)[0]
		g := tables.Region(all)
		node := g.Load32(tables.Offset(g.Load32(site(&first)+layout.SiteStack)) + layout.StackNode)
		binary.NativeEndian.PutUint32(all[tables.Offset(node)+layout.NodeCaller:], node)
		if frames := readAll(t, all)[0].Frames; len(frames) != 1 {
			t.Errorf("%d frames", len(frames))
		}
	})
}

func TestAnOverwrittenHeader(t *testing.T) {
	// Only words that hooks have no use for: they trust the header.
	for name, field := range map[string]uint64{"the size": layout.HeaderSize, "where modules are": layout.HeaderModules} {
		t.Run("of "+name+": nothing beyond the region is touched", func(t *testing.T) {
			l := &list{t: t}
			r := start(t, Options{SampleBytes: 1 << 40, MaxDepth: 64, TableBytes: 8 << 20, Modules: l.modules})
			length := len(cgo.Region())
			at := (*uint64)(unsafe.Pointer(&cgo.Region()[field]))
			was := atomic.SwapUint64(at, 1<<60)
			l.extra = []mappings.Module{fake("a", 16)}
			r.look()
			if n := len(cgo.Region()); n < length {
				t.Errorf("%d bytes of the region became %d", length, n)
			}
			if last := cgo.Region()[len(cgo.Region())-1]; last != 0 {
				t.Errorf("the last byte is %d", last)
			}
			if _, ok := cgo.Reserve(64 << 30); ok {
				t.Error("more is given away than there is")
			}
			atomic.StoreUint64(at, was)
			snapshot(t, r)
		})
	}
}
