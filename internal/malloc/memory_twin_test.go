//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/peek"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// number reads a number of 4 or 8 bytes.
func number(t *testing.T, address uint64, bytes int) uint64 {
	t.Helper()
	word := make([]byte, 8)
	if peek.Copy(word[:bytes], address) != bytes {
		t.Fatalf("%#x cannot be read", address)
	}
	return binary.LittleEndian.Uint64(word)
}

func TestWhatATwinKnowsOfMalloc(t *testing.T) {
	ofGlibc(t)
	blocks := []unsafe.Pointer{victim.Malloc(50 << 20), victim.Malloc(51 << 20)}
	defer func() { free(blocks) }()
	others := []account.Range{{Start: 1 << 40, Limit: 1 << 41}}
	m, err := ForTwin(others...)
	if err != nil {
		t.Fatal(err)
	}
	sums := mallinfo2(cgo.RealFunction("mallinfo2"))
	if got := number(t, m.MappedBlocks, 4); got != sums.apart.blocks {
		t.Errorf("%d blocks are mapped one by one, by mallinfo2 %d", got, sums.apart.blocks)
	}
	if got := number(t, m.MappedBytes, 8); got != sums.apart.bytes {
		t.Errorf("%d bytes are mapped one by one, by mallinfo2 %d", got, sums.apart.bytes)
	}
	if a, ok := readArena(m.Arena); !ok || a.top < m.Program.Start || a.top >= m.Program.Limit {
		t.Errorf("%v, the first arena's top %#x is not in %#x", ok, a.top, m.Program)
	}
	if diff := cmp.Diff(others, m.Others); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
