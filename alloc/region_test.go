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

// told are the offsets of words that say something: not those of the filter, and none that is zero.
func told(all []byte) (offsets []int) {
	for at := 0; at+8 <= len(all); at += 8 {
		if binary.NativeEndian.Uint64(all[at:]) != 0 {
			offsets = append(offsets, at)
		}
	}
	return offsets
}

// unpacked are the samples that measure makes something of.
func unpacked(read *reader, measure func(site uint64) flow) []stack.Sample {
	s := Snapshot{packed: packedSamples{read.samples(measure), &read.stacks, &read.labels}}
	s.Unpack()
	return s.Samples
}

// readAll reads every table of a region, and checks what holds of any.
func readAll(t *testing.T, all []byte) (samples int) {
	t.Helper()
	region = func() []byte { return all }
	defer func() { region = cgo.Region }()
	read := newReader(64, 1, nil)
	list := unpacked(read, settled)
	if most := len(all) / cgo.SiteBytes; len(list) > most {
		t.Fatalf("%d samples, and room for %d", len(list), most)
	}
	for _, s := range list {
		if len(s.Frames) > 64 || len(s.Labels) > cgo.LabelsBytes {
			t.Fatalf("%d frames, %d labels", len(s.Frames), len(s.Labels))
		}
	}
	blocks := 0
	read.blocks(func(b block) {
		blocks++
		read.sample(uint64(b.site) * refUnit)
	})
	if most := len(all) / cgo.BlockSize * cgo.Levels; blocks > most {
		t.Fatalf("%d blocks, and room for %d", blocks, most)
	}
	return len(list)
}

// word is the size of a change: which word, and what it becomes.
const word = 2 + 8

// FuzzRegion changes words of a true region, or reads bytes that were never one.
func FuzzRegion(f *testing.F) {
	all := copied(f)
	offsets := told(all)
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
		if n := readAll(t, copied(t)); n < 17 { // of one stack
			t.Errorf("%d samples", n)
		}
	})

	t.Run("sites that lead back to others end", func(t *testing.T) {
		all := copied(t)
		region = func() []byte { return all }
		refs := sites(nil)
		region = cgo.Region
		for _, ref := range refs {
			binary.NativeEndian.PutUint32(all[uint64(ref)*refUnit:], refs[0])
			binary.NativeEndian.PutUint32(all[uint64(ref)*refUnit+4:], refs[0])
		}
		readAll(t, all)
	})

	t.Run("a stack ends at a node that is said to be its own caller", func(t *testing.T) {
		all := copied(t)
		region = func() []byte { return all }
		site := sites(nil)[0]
		node := load32(uint64(load32(uint64(site)*refUnit+uint64(cgo.SiteStack)))*refUnit + uint64(cgo.StackNode))
		region = cgo.Region
		binary.NativeEndian.PutUint32(all[uint64(node)*refUnit+uint64(cgo.NodeCaller):], node)
		region = func() []byte { return all }
		defer func() { region = cgo.Region }()
		read := newReader(64, 1, nil)
		if frames := read.stacks.appendFrames(nil, read.sample(uint64(site)*refUnit).stack); len(frames) != 1 {
			t.Errorf("%d frames", len(frames))
		}
	})
}

func TestAnOverwrittenHeader(t *testing.T) {
	// Only words that hooks have no use for: they trust the header.
	for name, field := range map[string]uintptr{"the size": cgo.HeaderSize, "where modules are": cgo.HeaderModules} {
		t.Run("of "+name+": nothing beyond the region is touched", func(t *testing.T) {
			l := &list{t: t}
			r := start(t, Options{SampleBytes: 1 << 40, MaxDepth: 64, TableBytes: 8 << 20, Modules: l.modules})
			length := len(cgo.Region())
			at := (*uint64)(unsafe.Pointer(&cgo.Region()[field]))
			was := atomic.SwapUint64(at, 1<<60)
			l.extra = []mappings.Module{fake("a", 16)}
			r.Refresh()
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
