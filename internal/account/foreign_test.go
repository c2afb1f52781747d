package account

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// wordsAt is memory that has some words and is zero otherwise.
type wordsAt map[uint64][4]uint64

func (w wordsAt) ReadAt(to []byte, address int64) (int, error) {
	words, ok := w[uint64(address)]
	if !ok {
		return 0, errors.New("it cannot be read")
	}
	for i, word := range words {
		binary.NativeEndian.PutUint64(to[8*i:], word)
	}
	return len(to), nil
}

func TestHeapsOfGlibcAreKnownByTheirHeaders(t *testing.T) {
	const heap = glibcHeap
	p := pageBytes
	maps := filepath.Join(t.TempDir(), "maps")
	text := "10000000-14000000 rw-p 00000000 00:00 0\n" + // two in one area, and one that begins below it
		"14000000-18000000 rw-p 00000000 00:00 0\n" +
		"18000000-18010000 rw-p 00000000 00:00 0\n" +
		"1c000000-20000000 ---p 00000000 00:00 0\n" +
		"20000000-24000000 rw-p 00000000 fe:00 9  /data\n"
	if err := os.WriteFile(maps, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	first := [4]uint64{4*heap + 48, 0, 8 * p, 16 * p}
	second := [4]uint64{first[0], 4 * heap, 4 * p, 4 * p}
	whole := []Range{{4 * heap, 4*heap + 8*p}, {5 * heap, 5*heap + 4*p}}
	for about, c := range map[string]struct {
		memory wordsAt
		want   []Range
	}{
		"an arena of two heaps":           {wordsAt{4 * heap: first, 5 * heap: second, 7 * heap: first, 8 * heap: first}, whole},
		"an arena that lies elsewhere":    {wordsAt{4 * heap: {5, 0, 8 * p, 16 * p}}, nil},
		"a second one of no first":        {wordsAt{5 * heap: second}, nil},
		"a second one of itself":          {wordsAt{5 * heap: {5*heap + 48, 4 * heap, p, p}}, nil},
		"more in use than can be written": {wordsAt{4 * heap: {first[0], 0, 17 * p, 16 * p}}, nil},
		"no whole pages":                  {wordsAt{4 * heap: {first[0], 0, p + 1, 16 * p}}, nil},
		"nothing in use":                  {wordsAt{4 * heap: {first[0], 0, 0, 0}}, nil},
		"more than is mapped":             {wordsAt{6 * heap: {6*heap + 48, 0, 0x20000, 0x20000}}, nil},
		"no memory that can be read":      {nil, nil},
	} {
		if got, err := GlibcHeaps(maps, c.memory); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %#x, %v, want %#x", about, got, err, c.want)
		}
	}
	if got, err := GlibcHeaps(maps+"none", nil); err == nil || got != nil {
		t.Errorf("%#x, %v without a list", got, err)
	}
}

func TestAFigureDividesAnotherProcesssGoMemory(t *testing.T) {
	for _, c := range []struct {
		figure int64
		want   map[string]int64
	}{
		{-1, map[string]int64{GoAll: 100 << 10}},
		{30 << 10, map[string]int64{GoObjects: 30 << 10, GoRest: 70 << 10}},
		{300 << 10, map[string]int64{GoObjects: 100 << 10}},
	} {
		v := Survey{foreign: &Foreign{GoHeap: c.figure}}
		v.found[goMapped][anonymous] = Size{Resident: 100 << 10}
		got := residentOf(v.Account(Recorded{}))
		for name, want := range c.want {
			if got[name] != want || len(got) != len(c.want) {
				t.Errorf("%d: %v, want %v", c.figure, got, c.want)
			}
		}
	}
}
