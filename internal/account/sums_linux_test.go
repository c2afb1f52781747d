package account

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// withoutPagemap makes a /proc of this process that lacks pagemap.
func withoutPagemap(t *testing.T) usage.Kernel {
	t.Helper()
	proc := t.TempDir()
	if err := os.Mkdir(filepath.Join(proc, "self"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"maps", "smaps", "statm", "task"} {
		if err := os.Symlink("/proc/self/"+name, filepath.Join(proc, "self", name)); err != nil {
			t.Fatal(err)
		}
	}
	return usage.Kernel{Proc: proc}
}

// memoryFile makes a file of pages that is on no disk.
func memoryFile(t *testing.T, pages int) int {
	t.Helper()
	fd, err := unix.MemfdCreate("mapped", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Ftruncate(fd, int64(pages)*page); err != nil {
		t.Fatal(err)
	}
	return fd
}

// Two roads to the same memory, of which nobody changes any: page by page, and by the kernel's sums for each mapping.
func TestSumsAgreeWithPages(t *testing.T) {
	const n = 1000
	f, inMemory := tempFile(t, n), memoryFile(t, n)
	var list []Mapped
	for _, b := range [][]byte{mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON), mapped(t, int(f.Fd()), n, unix.MAP_PRIVATE),
		mapped(t, int(f.Fd()), n, unix.MAP_SHARED), mapped(t, -1, n, unix.MAP_SHARED|unix.MAP_ANON),
		mapped(t, inMemory, n, unix.MAP_SHARED), mapped(t, inMemory, n, unix.MAP_PRIVATE)} {
		list = append(list, Mapped{Range: rangeOf(b)})
	}
	// Two calls whose memory the kernel has joined, and memory in one mapping that nobody knows.
	joined := rangeOf(mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON))
	third := n / 3 * uint64(page)
	list = append(list, Mapped{Range: Range{joined.Start, joined.Start + third}}, Mapped{Range: Range{joined.Start + third, joined.Limit - third}})
	block := rangeOf(mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON))
	steady(t)
	var memory scratch.Memory
	defer memory.Free()
	take := func(k usage.Kernel) (*Survey, Size) {
		blocks := []Block{{Range: Range{block.Start + 16, block.Limit - 10*uint64(page)}}}
		return Take(k, &Sources{Mapped: list, Blocks: blocks}, &memory), blocks[0].Size
	}
	byPages, blockByPages := take(usage.Running)
	before := rollup(t)
	bySums, blockBySums := take(withoutPagemap(t))
	after := rollup(t)
	for i := range list {
		if got, want := bySums.Mapped[i], byPages.Mapped[i]; got != want || want == (ByLine{}) {
			t.Errorf("%d: %+v, by pages %+v", i, got, want)
		}
	}
	if blockBySums != blockByPages || blockByPages.Resident == 0 {
		t.Errorf("a block: %+v, by pages %+v", blockBySums, blockByPages)
	}
	a := bySums.Account(Recorded{})
	if !errors.Is(a.Err, fs.ErrNotExist) || !strings.Contains(a.Err.Error(), "smaps") {
		t.Errorf("it is not said that the bytes are from smaps: %v", a.Err)
	}
	if a.addsUp(t, before, after); residentOf(a)[Unexplained] != 0 {
		t.Errorf("%+v", a.Lines)
	}
}

// saysAll is a sandbox in which all pages of anonymous memory are resident; refuses is one that does not say.
type saysAll struct{}

func (saysAll) close() {}
func (saysAll) runs(list []area, visit func(*area, run)) error {
	for i := range list {
		visit(&list[i], run{Range: list[i].Range})
	}
	return nil
}

type refuses struct{ saysAll }

func (refuses) runs([]area, func(*area, run)) error { return unix.EPERM }

// tenPages is a mapping of ten pages as smaps has it, of which some are resident.
func tenPages(resident, anonymous, swapped int64, name string) *sum {
	return &sum{area{Range: Range{0x100000, 0x10a000}, name: []byte(name)}, resident << 12, anonymous << 12, swapped << 12}
}

func TestWhatIsNotCertainHasNoOwner(t *testing.T) {
	const page = 1 << 12
	a, b := Mapped{Range: Range{0x100000, 0x107000}}, Mapped{Range: Range{0x107000, 0x109000}} // 7 pages and 2, and one that no recorded call mapped
	for about, c := range map[string]struct {
		list      []Mapped
		of        *sum
		mincore   pages
		want      []int64 // resident pages of each
		nobody    Size    // in pages
		uncertain int64
	}{
		"one owner on two ranges":        {[]Mapped{{Range: a.Range, Kind: Go}, {Range: Range{b.Start, b.Limit + 1<<12}, Kind: Go}}, tenPages(9, 9, 0, ""), refuses{}, []int64{0, 0}, Size{}, 0},
		"one owner":                      {[]Mapped{{Range: Range{0, 1 << 40}}}, tenPages(4, 4, 3, ""), refuses{}, []int64{4}, Size{}, 0},
		"nobody":                         {nil, tenPages(4, 4, 3, ""), refuses{}, nil, Size{4, 3}, 0},
		"all pages resident":             {[]Mapped{a, b}, tenPages(10, 10, 0, ""), saysAll{}, []int64{7, 2}, Size{1, 0}, 0},
		"one too many":                   {[]Mapped{a, b}, tenPages(9, 9, 1, ""), saysAll{}, []int64{6, 1}, Size{2, 1}, 2},
		"three too many":                 {[]Mapped{a, b}, tenPages(7, 7, 0, ""), saysAll{}, []int64{4, 0}, Size{3, 0}, 3},
		"a sandbox that does not know":   {[]Mapped{a, b}, tenPages(2, 2, 0, ""), saysAll{}, []int64{0, 0}, Size{2, 0}, 2},
		"a sandbox that refuses":         {[]Mapped{a, b}, tenPages(5, 5, 0, ""), refuses{}, []int64{0, 0}, Size{5, 0}, 5},
		"a file that several calls have": {[]Mapped{a, b}, tenPages(5, 2, 0, "/a"), saysAll{}, []int64{0, 0}, Size{5, 0}, 5},
	} {
		var memory scratch.Memory
		v := Survey{Mapped: make([]ByLine, len(c.list))}
		w := walk{survey: &v, claims: (&Sources{Mapped: c.list}).claims(&memory)}
		uncertain := w.sum(c.mincore, c.of)
		var got []int64
		for i := range v.Mapped {
			got = append(got, (v.Mapped[i].Anonymous.Resident+v.Mapped[i].Files.Resident)/page)
		}
		unknown := v.of(nobody)
		if !slices.Equal(got, c.want) || unknown != (Size{c.nobody.Resident * page, c.nobody.Swapped * page}) ||
			uncertain != c.uncertain*page {
			t.Errorf("%s: %v pages, %+v of unknown caller, %d are not certain", about, got, unknown, uncertain/page)
		}
		memory.Free()
	}
}

// A mapping that the kernel joined from a library's memory and the stack of a thread.
func TestSumsOfAMappingThatIsAStackToo(t *testing.T) {
	const start, size, mib = 1 << 24, 20 << 20, 1 << 20
	var memory scratch.Memory
	defer memory.Free()
	v := Survey{Mapped: make([]ByLine, 1)}
	w := walk{survey: &v, threads: []uint64{start + 15*mib},
		claims: (&Sources{Mapped: []Mapped{{Range: Range{start, start + mib}}}}).claims(&memory)}
	w.sum(saysAll{}, &sum{area{Range: Range{start, start + size}}, size, size, 0})
	if mine, stack := v.Mapped[0].Anonymous.Resident, v.of(threadStack).Resident; mine != mib || stack != 13*mib || v.of(nobody).Resident != 6*mib {
		t.Errorf("%d are of the call, %d of the stack, %d of unknown caller", mine, stack, v.of(nobody).Resident)
	}
}
