package dwarf

import (
	"bytes"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

// skeletonAbbrevs are the abbreviations of a skeleton with DW_AT_dwo_name, DW_AT_low_pc and DW_AT_high_pc.
var skeletonAbbrevs = []byte{1, 0x4a, 0, 0x76, 8, 0x11, 1, 0x12, 6, 0, 0, 0}

// skeletons returns count skeleton units of the same code.
func skeletons(count int) []byte {
	unit := append(little.AppendUint16(nil, 5), byte(unitSkeleton), 8)
	unit = little.AppendUint64(little.AppendUint32(unit, 0), 99)
	unit = appendRange(append(unit, 1, 'x', 0), 0x1000, functionSize)
	return bytes.Repeat(append(little.AppendUint32(nil, uint32(len(unit))), unit...), count)
}

// splitInto is a program of skeletons whose other parts are looked for in the same file each time.
func splitInto(other Source, count int, opened *atomic.Int64) Program {
	p := handmade(inMemory{".debug_info": skeletons(count), ".debug_abbrev": skeletonAbbrevs})
	p.Split = func(SplitUnit) (Source, error) {
		opened.Add(1)
		return other, nil
	}
	return p
}

func TestASearchGivesUpOnSkeletonsOfAFileWithManyUnits(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	defer limitWorkers()()
	empty := unitBytes(nil)
	other := inMemory{".debug_info.dwo": bytes.Repeat(empty, 1<<17), ".debug_abbrev.dwo": {0}}
	var opened atomic.Int64
	const most = stepLimit/(1<<17*unitSteps) + 1
	mustBeTooBig(t, splitInto(other, 2*most, &opened), []uint64{0x1000})
	if n := opened.Load(); n < 2 || n > most {
		t.Errorf("the file was opened %d times, at most %d were expected", n, most)
	}
}

// unpacking is a file of which a section is decompressed each time.
type unpacking struct{ size int }

func (u unpacking) Section(name string) (Section, error) {
	if name != ".debug_str.dwo" {
		return Section{}, nil
	}
	return Section{Bytes: make([]byte, u.size), Unpacked: true}, nil
}

func TestASearchGivesUpOnSkeletonsOfAFileThatIsUnpackedForEach(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	defer limitWorkers()()
	const size = 1 << 28
	var opened atomic.Int64
	const most = stepLimit/(size/unpackedBytes) + 2
	mustBeTooBig(t, splitInto(unpacking{size}, 4*most, &opened), []uint64{0x1000})
	if n := opened.Load(); n > most {
		t.Errorf("the file was opened %d times, at most %d were expected", n, most)
	}
}

func TestASearchGivesUpOnOpeningFiles(t *testing.T) {
	var opened atomic.Int64
	const most = stepLimit/openSteps + 8
	mustBeTooBig(t, splitInto(nil, 2*most, &opened), []uint64{0x1000})
	if n := opened.Load(); n > most {
		t.Errorf("%d files were opened, at most %d were expected", n, most)
	}
}

func TestNoMoreUnitsAreKeptThanTheLimit(t *testing.T) {
	for what, info := range map[string][]byte{
		"with entries": bytes.Repeat(unitBytes(nil), unitLimit+1),
		"empty":        make([]byte, 4*(headerLimit+1)),
	} {
		f := &file{}
		f.sections[secInfo].Bytes = info
		if err := f.readHeaders(nil); !errors.Is(err, ErrTooBig) || len(f.units) > unitLimit {
			t.Errorf("units %s: %d, %v", what, len(f.units), err)
		}
	}
}

// limitWorkers makes one goroutine do the work, so that it can be foreseen when the limit is reached. The function that
// it returns ends that.
func limitWorkers() func() {
	before := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(before) }
}
