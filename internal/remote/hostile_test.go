//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package remote_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/symbolize"
)

const boxBytes = 8 << 20

// recordedBox returns the black box of a recording with many stacks, sizes, labels, ages and lifetimes.
func recordedBox(t testing.TB) []byte {
	t.Helper()
	dir := toolchain.Memory(t)
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1, TableBytes: boxBytes, GoroutineLabels: true, ThreadNames: true, BlackBox: dir})
	if err != nil {
		t.Fatal(err)
	}
	for n := range uintptr(300) {
		pprof.Do(context.Background(), pprof.Labels("tenant", fmt.Sprint(n%7)), func(context.Context) { profiletest.Leak(n*37 + 1) })
		profiletest.Garbage(n)
		profiletest.Spike(n << 12)
	}
	names, err := blackbox.Names(dir)
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	whole, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	return whole
}

// damagedBox is a file with a recording, of which a few words are overwritten at a time.
type damagedBox struct {
	whole []byte
	words []int64 // the offsets of words that are not zero: all others say nothing
	file  *os.File
	names *symbolize.Symbolizer
	by    func(*os.File) (*remote.Recording, error)
}

func newDamagedBox(t testing.TB) *damagedBox {
	t.Helper()
	d := &damagedBox{whole: recordedBox(t), names: symbolize.New(symbolize.Options{}), by: remote.ReadBox}
	for at := 0; at < len(d.whole); at += 8 {
		if binary.NativeEndian.Uint64(d.whole[at:]) != 0 {
			d.words = append(d.words, int64(at))
		}
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "box"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	d.file = file
	if err := file.Truncate(int64(len(d.whole))); err != nil {
		t.Fatal(err)
	}
	for _, at := range d.words {
		d.put(t, at, d.word(at))
	}
	return d
}

func (d *damagedBox) word(at int64) uint64 { return binary.NativeEndian.Uint64(d.whole[at:]) }

func (d *damagedBox) put(t testing.TB, at int64, word uint64) {
	t.Helper()
	if _, err := d.file.WriteAt(binary.NativeEndian.AppendUint64(nil, word), at); err != nil {
		t.Fatal(err)
	}
}

var hostileViews = []remote.View{{View: report.InUse}, {View: report.Allocated}, {View: report.Peak}, {View: report.Age}, {View: report.ShortLived, Within: 3}}

// mostMemory bounds what reading a box and writing its profile may take: beside the copy of the file and a constant for names,
// it grows with the file.
const mostMemory = 20 * boxBytes

// read reads the box with words that are other ones, and writes its profile. Neither may fail otherwise than by an error, and
// reading again may not give anything else.
func (d *damagedBox) read(t testing.TB, others map[int64]uint64, view remote.View) {
	t.Helper()
	for at, word := range others {
		d.put(t, at, word)
		defer d.put(t, at, d.word(at))
	}
	scratch.Held()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := d.by(d.file)
	if (r == nil) != (err != nil) || err != nil && !strings.Contains(err.Error(), d.file.Name()) {
		t.Fatalf("%s: %v, %v", described(others), r, err)
	}
	if err != nil {
		return
	}
	defer r.Close() // thousands of boxes have more mappings than a process may
	var text bytes.Buffer
	if err := r.Write(&text, view, d.names); err != nil {
		t.Fatalf("%s: %s: %v", described(others), view.Name, err)
	}
	runtime.ReadMemStats(&after)
	if _, most := scratch.Held(); uint64(most)+after.TotalAlloc-before.TotalAlloc > mostMemory {
		t.Errorf("%s: %s: %d and %d bytes were taken", described(others), view.Name, most, after.TotalAlloc-before.TotalAlloc)
	}
}

// described returns what is overwritten, so that it can be tried again.
func described(others map[int64]uint64) string {
	return fmt.Sprintf("%.1000s", fmt.Sprintf("%#x", others))
}

func TestAWholeBoxHasWhatWasRecorded(t *testing.T) {
	d := newDamagedBox(t)
	r, err := remote.ReadBox(d.file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := profiletest.Read(t, func(w io.Writer) error { return r.Write(w, remote.View{View: report.InUse}, d.names) })
	const all = 300*301/2*37 - 300*37 + 300
	if got := profiletest.Sum(profiletest.Through(p, "Leak")); got != [4]int64{300, all, 300, all} {
		t.Errorf("%v, want %d", got, all)
	}
}

// extremes are what an offset, a count or a size may be that nobody checked.
func extremes(at int64) []uint64 {
	return []uint64{0, 1, 1<<31 - 1, 1<<32 - 1, 1 << 63, 1<<64 - 1, boxBytes, boxBytes - 8, uint64(at), uint64(at) / 16, uint64(at)/16<<32 | uint64(at)/16}
}

func TestABoxWithAnyWordOfTheHeaderOverwritten(t *testing.T) {
	d := newDamagedBox(t)
	header := int64(layout.HeaderCarries) // which are many, and alike
	if testing.Short() {
		header = layout.HeaderCounters
	}
	for at := int64(0); at < header; at += 8 {
		for i, word := range extremes(at) {
			d.read(t, map[int64]uint64{at: word}, hostileViews[i%len(hostileViews)])
		}
	}
}

func TestABoxOfALivingProcessWithAnyWordOfTheHeaderOverwritten(t *testing.T) {
	d := newDamagedBox(t)
	d.by = remote.ReadLiving
	binary.NativeEndian.PutUint64(d.whole[layout.HeaderSettles:], 2)
	d.put(t, layout.HeaderSettles, 2)
	views := []remote.View{{View: report.InUse}, {View: report.ShortLived, Within: 3}}
	for at := int64(0); at < layout.HeaderCounters; at += 8 {
		for i, word := range extremes(at) {
			if at != layout.HeaderSettles { // an odd number is tried again and again
				d.read(t, map[int64]uint64{at: word}, views[i%len(views)])
			}
		}
	}
}

func TestABoxWithFlippedBits(t *testing.T) {
	d := newDamagedBox(t)
	random := rand.New(rand.NewPCG(1, 1)) // a run that fails is repeated, and must try the same words; FuzzBoxes tries others
	times := 3000
	if testing.Short() {
		times = 600
	}
	for i := range times {
		others := map[int64]uint64{}
		for range 1 + random.IntN(20) {
			at := d.words[random.IntN(len(d.words))]
			switch word := d.word(at); random.IntN(4) {
			case 0: // one word in another's place makes cycles
				others[at] = d.word(d.words[random.IntN(len(d.words))])
			case 1:
				list := extremes(at)
				others[at] = list[random.IntN(len(list))]
			default:
				others[at] = word ^ 1<<random.IntN(64)
			}
		}
		d.read(t, others, hostileViews[i%len(hostileViews)])
	}
}

// A file may be cut short anywhere, and it may have lost its end and be as long as before.
func TestABoxThatEndsAnywhere(t *testing.T) {
	d := newDamagedBox(t)
	last := d.words[len(d.words)-1] + 8
	var lengths []int64
	step := int64(1)
	if testing.Short() {
		step = 37
	}
	for n := int64(0); n < layout.SizeofHeader+64; n += step {
		lengths = append(lengths, n)
	}
	for at := int64(layout.HeaderChunks); at < layout.HeaderCounters; at += 8 { // what the header knows of, bounds and offsets
		if to := int64(d.word(at)); to > 0 && to < boxBytes {
			lengths = append(lengths, to-1, to, to+1, to+8)
		}
	}
	for n := last; n > layout.SizeofHeader; n -= 4093 * 7 * step {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		if err := d.file.Truncate(n); err != nil {
			t.Fatal(err)
		}
		if r, err := remote.ReadBox(d.file); err == nil || !strings.Contains(err.Error(), d.file.Name()) {
			t.Errorf("%d bytes: %+v, %v", n, r, err)
		}
		if err := d.file.Truncate(boxBytes); err != nil {
			t.Fatal(err)
		}
		d.read(t, nil, hostileViews[int(n)%len(hostileViews)])
		if _, err := d.file.WriteAt(d.whole[n:max(n, last)], n); err != nil {
			t.Fatal(err)
		}
	}
	d.read(t, nil, hostileViews[0])
}

// Each entry of a table may lead to one record that claims all of the file.
func TestABoxWhoseModulesAreAllOneLargeModule(t *testing.T) {
	d := newDamagedBox(t)
	table := int64(d.word(layout.HeaderModules))
	first := uint32(d.word(table) >> 32) // of module 1
	others := map[int64]uint64{int64(first)*16 + layout.ModuleBuildIdSize: 1<<63 - 1}
	for n := int64(1); n < layout.ModuleMade/2; n++ {
		others[table+8*n] = uint64(first)<<32 | uint64(first)
	}
	d.read(t, others, hostileViews[0])
}

// FuzzBoxes overwrites words of a real recording. Of each 12 bytes of the input, four choose the word and eight are what it
// becomes.
func FuzzBoxes(f *testing.F) {
	d := newDamagedBox(f)
	for _, field := range []int{layout.HeaderSize, layout.HeaderUsed, layout.HeaderStackHeads, layout.HeaderHeads, layout.HeaderModules, layout.HeaderObjects,
		layout.HeaderMaxDepth, layout.HeaderAbout, layout.HeaderAboutSize, layout.HeaderLevels, layout.HeaderSlots} {
		for i, at := range d.words {
			if at == int64(field) {
				f.Add(binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint32(nil, uint32(i)), d.word(at)+16), uint8(i))
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 20 {
		var input []byte
		for range 10 {
			at := random.IntN(len(d.words))
			input = binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint32(input, uint32(at)), d.word(d.words[at])^1<<random.IntN(64))
		}
		f.Add(input, uint8(i))
	}
	f.Fuzz(func(t *testing.T, input []byte, view uint8) {
		others := map[int64]uint64{}
		for ; len(input) >= 12; input = input[12:] {
			at := d.words[binary.NativeEndian.Uint32(input)%uint32(len(d.words))]
			others[at] = binary.NativeEndian.Uint64(input[4:])
		}
		d.read(t, others, hostileViews[int(view)%len(hostileViews)])
	})
}
