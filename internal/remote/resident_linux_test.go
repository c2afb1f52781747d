package remote

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/symbolize"
)

const (
	page          = 4096
	residentPages = 48 // of the made-up process: the vdso's page, of no file, does not count
)

// page n of a made-up process has its address at n pages. All pages are resident that the table says.
const madeUpMaps = `00100000-00110000 r-xp 00000000 fe:00 12                         /bin/program
00110000-00118000 rw-p 00010000 fe:00 12                         /bin/program
00118000-00120000 rw-p 00000000 00:00 0
00200000-00240000 rw-p 00000000 00:00 0                          [heap]
00300000-00310000 rw-p 00000000 00:00 0
00400000-00420000 rw-p 00000000 00:00 0
00500000-00510000 rw-s 00000000 00:01 77                         /memfd:x (deleted)
00600000-00610000 r--p 00000000 fe:00 99                         /data
00700000-00720000 rw-p 00000000 00:00 0
00800000-00810000 rw-p 00000000 00:00 0
08000000-0c000000 rw-p 00000000 00:00 0
10000000-10010000 rw-p 00000000 00:00 0                          [stack]
20000000-20001000 r-xp 00000000 00:00 0                          [vdso]
`

const (
	ofFile  = 1 << 61
	swapped = 1 << 62
	present = 1 << 63
)

// madeUp is the /proc of a process 1.
func madeUp(t testing.TB) usage.Kernel {
	t.Helper()
	if os.Getpagesize() != page {
		t.Skip("the pages here have another size")
	}
	proc := t.TempDir()
	if err := os.MkdirAll(filepath.Join(proc, "1/task/1"), 0o700); err != nil {
		t.Fatal(err)
	}
	pages := make([]byte, 0x20001*8)
	for _, p := range []struct {
		from, count int
		entry       uint64
	}{
		{0x100, 3, present | ofFile}, {0x110, 1, present | ofFile}, {0x111, 2, present}, {0x118, 2, present}, // the program
		{0x200, 5, present}, {0x205, 1, swapped}, // the heap
		{0x300, 4, present},          // mapped by the program
		{0x400, 7, present},          // mapped by Go, of before the recording
		{0x500, 2, present | ofFile}, // shared
		{0x600, 3, present | ofFile}, // a file
		{0x700, 6, present},          // nobody's
		{0x800, 2, present},          // a thread's stack
		{0x8000, 9, present},         // a heap of glibc's
		{0x10000, 2, present}, {0x20000, 1, present},
	} {
		for i := range p.count {
			binary.NativeEndian.PutUint64(pages[(p.from+i)*8:], p.entry)
		}
	}
	for name, text := range map[string]string{"maps": madeUpMaps, "pagemap": string(pages), "task/1/syscall": "-1 0x801000 0x100\n",
		"statm": fmt.Sprintf("900 %d 0 0 0 0 0\n", residentPages), "smaps_rollup": fmt.Sprintf("Rss: %d kB\n", residentPages*page>>10)} {
		if err := os.WriteFile(filepath.Join(proc, "1", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return usage.Kernel{Proc: proc, Process: 1}
}

// madeUpMemory has the header of a heap of glibc's, and the set of Go's pages.
type madeUpMemory struct{}

const setAt = 0x118000

func (madeUpMemory) ReadAt(to []byte, at int64) (int, error) {
	clear(to)
	var words []uint64
	switch at {
	case 0x8000000:
		words = []uint64{0x8000030, 0, 16 * page, 32 * page}
	case setAt:
		words = []uint64{1, 0x400<<layout.PageCountBits | 0x20}
	}
	for i, word := range words {
		binary.NativeEndian.PutUint64(to[8*i:], word)
	}
	return len(to), nil
}

// mappedOf makes a region in which recorded calls have mapped ranges of pages.
func mappedOf(ranges ...[2]uint64) []byte {
	const table = layout.Filter
	region := make([]byte, table+layout.SizeofMappedTable)
	put := func(at, word uint64) { binary.NativeEndian.PutUint64(region[at:], word) }
	put(layout.HeaderMapped, table)
	put(layout.HeaderGoPages, setAt)
	put(layout.HeaderSize, uint64(len(region)))
	put(layout.HeaderMaxDepth, 64)
	tree := uint64(table + layout.MappedTableTree)
	put(tree+layout.MappedTreeUsed, uint64(len(ranges)))
	put(tree+layout.MappedTreeChunks, tree+layout.MappedTreeFirst)
	for i, r := range ranges {
		at := tree + layout.MappedTreeFirst + uint64(i)*layout.SizeofMapped
		put(at+layout.MappedStart, r[0]*page)
		put(at+layout.MappedLimit, r[1]*page)
		put(at+layout.MappedNumber, uint64(i+1))
	}
	return region
}

func (r *Recording) lookAt(k usage.Kernel) (err error) {
	r.pages, err = r.look(&place{kernel: k, memory: madeUpMemory{}, region: 0x700000,
		segments: []account.Range{{Start: 0x100000, Limit: 0x119800}}})
	return err
}

func TestThePagesOfAMadeUpProcess(t *testing.T) {
	r := recordingOf(mappedOf([2]uint64{0x300, 0x310}))
	if err := r.lookAt(madeUp(t)); err != nil {
		t.Fatal(err)
	}
	tables := int64(min((layout.Filter+layout.SizeofMappedTable)/page, 6))
	want := map[string]int64{account.Code: 3, account.Data: 1, account.Written: 4, account.FreeOrNot: 14, account.MappedBy: 4, account.GoAll: 7,
		account.Shared: 2, account.Files: 3, account.Tables: tables, account.Stacks: 4}
	got := map[string]int64{}
	for _, l := range r.pages.account.Lines {
		if l.Resident > 0 {
			got[l.Name] = l.Resident / page
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.pages.rss != 0 || r.pages.unsure || r.pages.account.Err != nil {
		t.Errorf("%+v", r.pages)
	}
}

// A thread may stand on a goroutine's stack, which lies in Go's heap.
func TestWithoutTheSetOfGosPagesNoStackIsKnown(t *testing.T) {
	b := mappedOf()
	binary.NativeEndian.PutUint64(b[layout.HeaderGoPages:], setAt+page)
	r := recordingOf(b)
	if err := r.lookAt(madeUp(t)); err != nil {
		t.Fatal(err)
	}
	for _, l := range r.pages.account.Lines {
		if l.Name == account.Stacks && l.Resident != 2*page {
			t.Errorf("%d bytes are stacks, and the main thread's has %d", l.Resident, 2*page)
		}
	}
}

func TestAFigureOfTheKernelThatDiffersIsReported(t *testing.T) {
	k := madeUp(t)
	for file, text := range map[string]string{"statm": "9000 1000 0 0 0 0 0\n", "smaps_rollup": "Rss: 4004 kB\n"} {
		if err := os.WriteFile(k.Path(file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := recordingOf(mappedOf())
	if err := r.lookAt(k); err != nil {
		t.Fatal(err)
	}
	comments := strings.Join(r.residentComments(nil), "\n")
	if want := fmt.Sprintf("add up to %d bytes, and by the kernel's figure RSS is %d", residentPages*page, 4004<<10); !strings.Contains(comments, want) {
		t.Error(comments)
	}
}

func TestPagesThatCannotBeReadAreAnError(t *testing.T) {
	for _, file := range []string{"maps", "pagemap"} {
		k := madeUp(t)
		if err := os.Remove(k.Path(file)); err != nil {
			t.Fatal(err)
		}
		r := recordingOf(mappedOf())
		if err := r.lookAt(k); err == nil || r.pages != nil {
			t.Errorf("without %s: %+v, %v", file, r.pages, err)
		}
	}
}

func TestAThreadThatStoodInTheMiddleMakesCallsUnknown(t *testing.T) {
	const table = layout.Filter
	for about, change := range map[string]func(b []byte){
		"it has the lock":       func(b []byte) { b[table+layout.MappedTableLock] = 1 },
		"it writes an event":    func(b []byte) { b[table+layout.MappedTableTail] = 1 },
		"an event is not there": func(b []byte) { b[table+layout.MappedTableHead] = 1 },
	} {
		b := mappedOf([2]uint64{0x300, 0x310})
		change(b)
		r := recordingOf(b)
		if err := r.lookAt(madeUp(t)); err != nil || !r.pages.unsure || len(r.pages.mapped) > 0 {
			t.Errorf("%s: %v, %+v", about, err, r.pages)
		}
	}
	b := mappedOf([2]uint64{0x300, 0x310}, [2]uint64{0x700, 0x702})
	b[table+layout.MappedTableTail] = 1
	event := table + layout.MappedTableEvents
	b[event+layout.MappedEventTurn] = 1
	binary.NativeEndian.PutUint64(b[event+layout.MappedEventStart:], 0x305*page)
	binary.NativeEndian.PutUint64(b[event+layout.MappedEventLimit:], 0x306*page)
	r := recordingOf(b)
	if err := r.lookAt(madeUp(t)); err != nil || r.pages.unsure || len(r.pages.mapped) != 1 || r.pages.mapped[0].Start != 0x700*page {
		t.Errorf("a call that was recorded and not entered: %v, %+v", err, r.pages.mapped)
	}
}

// The profile of RSS of tables that were overwritten has the right total all the same.
func checkDamaged(t *testing.T, k usage.Kernel, damaged []byte) {
	t.Helper()
	r := recordingOf(damaged)
	if err := r.lookAt(k); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Write(&b, View{View: report.RSS}, symbolize.New(symbolize.Options{})); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	var total int64
	for _, s := range p.Sample {
		total += s.Value[1]
	}
	if total != residentPages*page {
		t.Errorf("the lines of a process with %d bytes add up to %d", residentPages*page, total)
	}
}

func TestDamagedTablesDoNotChangeTheTotal(t *testing.T) {
	k := madeUp(t)
	whole := mappedOf([2]uint64{0x300, 0x310}, [2]uint64{0x400, 0x402}, [2]uint64{0x700, 0x703})
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		b := append([]byte(nil), whole...)
		for range 1 + random.IntN(8) {
			at := random.IntN(len(b)/8) * 8
			if random.IntN(2) == 0 {
				at = layout.Filter + random.IntN(1024)*8
			}
			binary.NativeEndian.PutUint64(b[at:], random.Uint64()>>random.IntN(64))
		}
		checkDamaged(t, k, b)
	}
}

// Of each 12 bytes of the input, four choose a word of the header or of the table of calls, and eight are what it becomes.
func FuzzPagesAndDamagedTables(f *testing.F) {
	k := madeUp(f)
	whole := mappedOf([2]uint64{0x300, 0x310}, [2]uint64{0x400, 0x402}, [2]uint64{0x700, 0x703})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, input []byte) {
		b := append([]byte(nil), whole...)
		for ; len(input) >= 12; input = input[12:] {
			at := binary.NativeEndian.Uint32(input) % ((layout.SizeofHeader + layout.SizeofMappedTable) / 8) * 8
			if at >= layout.SizeofHeader {
				at += layout.Filter - layout.SizeofHeader
			}
			copy(b[at:at+8], input[4:])
		}
		checkDamaged(t, k, b)
	})
}

func TestTheViewOfRSSIsRefusedWithoutPages(t *testing.T) {
	r := recordingOf(nil)
	if err := r.Write(io.Discard, View{View: report.RSS}, symbolize.New(symbolize.Options{})); err == nil || !strings.Contains(err.Error(), "no view rss") {
		t.Error(err)
	}
}

// A block that was freed, which could not be recorded, is not in use, whoever had it.
func TestBlocksWhoseFreeWasLostAreInNoSum(t *testing.T) {
	region := mappedOf()
	bucket := (uint64(len(region)) + 15) / 16 * 16
	const site = layout.SizeofBucket
	region = append(region, make([]byte, bucket+site+layout.SizeofSite-uint64(len(region)))...)
	put := func(at, word uint64) { binary.NativeEndian.PutUint64(region[at:], word) }
	put(layout.HeaderLevels, bucket)
	put(bucket+site+layout.SiteSize, layout.SiteMixed)
	for i, state := range []uint64{0, layout.BlockLost, layout.BlockReported, layout.BlockReported | layout.BlockLost} {
		block := bucket + layout.BucketBlocks + uint64(i)*layout.SizeofBlock
		put(bucket+layout.BucketKeys+8*uint64(i), 0x200000+uint64(i)*page)
		put(block+layout.BlockWeight, 1<<16|state)
		put(block+layout.BlockWeight+8, 1000<<i<<4)
		put(block+layout.BlockSite, (bucket+site)/16)
	}
	found, holding := resident{live: account.NewLive(nil, nil)}, account.NewHolding(nil)
	found.addBlocks(recordingOf(region).reader(nil), &holding)
	if asked := found.live.Recorded(1).Bytes; asked != 1000 || found.reported != 4000 {
		t.Errorf("%d bytes are of malloc, want 1000, and %d of what the program reported, want 4000", asked, found.reported)
	}
}
