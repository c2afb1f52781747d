//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/pprof/profile"
	"github.com/klauspost/compress/gzip"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// leakBelow is on many stacks, as one keeps few sizes apart.
//
//go:noinline
func leakBelow(depth int, size uintptr) unsafe.Pointer { return victim.Recursion(depth, size) }

// manySizes keeps blocks of n sizes, the largest first, and frees them at the end of the test.
func manySizes(t *testing.T, n int) {
	for i := range n {
		block := leakBelow(i/10, uintptr(100*(n-i)))
		t.Cleanup(func() { victim.Free(block) })
	}
}

func total(p *profile.Profile) [4]int64 { return profiletest.Sum(p.Sample) }

// quiet reads profiles until two that surround them are of the same state: the process allocates a little by itself.
func quiet(t *testing.T, p *cgoheap.Profiler, read func()) {
	t.Helper()
	events := func() uint64 { return p.Stats().Value("samples") + p.Stats().Value("frees") }
	for range 20 {
		before := events()
		read()
		if events() == before {
			return
		}
	}
	t.Fatal("the process never stops allocating")
}

func others(p *profile.Profile) []*profile.Sample {
	var found []*profile.Sample
	for _, s := range p.Sample {
		if slices.Equal(profiletest.Functions(s), []string{"other"}) {
			found = append(found, s)
		}
	}
	return found
}

func TestBoundOnSamples(t *testing.T) {
	p := start(t, everything)
	manySizes(t, 200)
	var all, cut *profile.Profile
	quiet(t, p, func() {
		all = selected(t, p, cgoheap.Selection{})
		cut = selected(t, p, cgoheap.Selection{MaxSamples: 50})
	})

	if len(cut.Sample) != 50 || len(others(cut)) != 1 {
		t.Errorf("%d samples, %d others", len(cut.Sample), len(others(cut)))
	}
	if total(cut) != total(all) {
		t.Errorf("the total is %v, without a bound %v", total(cut), total(all))
	}
	kept := profiletest.Through(cut, "leakBelow")
	for i, s := range kept {
		if got, want := s.NumLabel["bytes"][0], int64(100*(200-i)); got != want {
			t.Errorf("sample %d has blocks of %d bytes, want %d: not the largest", i, got, want)
		}
	}
	if !profiletest.HasComment(cut, "other:", "samples beyond the bound") || profiletest.HasComment(all, "other:") {
		t.Errorf("%q", cut.Comments)
	}
}

func TestBoundKeepsWhatWasAllocatedMuchAsWellAsWhatIsInUse(t *testing.T) {
	p := start(t, everything)
	manySizes(t, 100)
	for range 1000 {
		profiletest.Garbage(5000)
	}
	cut := selected(t, p, cgoheap.Selection{MaxSamples: 10})
	if got := profiletest.Sum(profiletest.Through(cut, "Garbage")); got[1] != 5_000_000 || got[3] != 0 {
		t.Errorf("%v", got)
	}
	if len(profiletest.Through(cut, "leakBelow")) == 0 {
		t.Error("nothing in use was kept")
	}
}

func TestBoundOnBytes(t *testing.T) {
	p := start(t, everything)
	manySizes(t, 250)
	most := uncompressedSize(t, p, cgoheap.Selection{})
	for _, bound := range []int64{most, most - 1, most / 2, most / 3} {
		var all, cut *profile.Profile
		var size int64
		quiet(t, p, func() {
			all, cut = selected(t, p, cgoheap.Selection{}), selected(t, p, cgoheap.Selection{MaxBytes: bound})
			size = uncompressedSize(t, p, cgoheap.Selection{MaxBytes: bound})
		})
		if size > bound {
			t.Errorf("%d bytes, the bound is %d", size, bound)
		}
		if size < bound*9/10 {
			t.Errorf("%d bytes of the %d that there may be", size, bound)
		}
		if got, want := total(cut)[3], total(all)[3]; got != want {
			t.Errorf("bound of %d bytes: %d bytes in use instead of %d", bound, got, want)
		}
	}
}

func TestBoundThatIsTooSmall(t *testing.T) {
	p := start(t, everything)
	for want, s := range map[string]cgoheap.Selection{
		"a profile without samples is longer than 10 bytes": {MaxBytes: 10},
		"cgoheap: Selection.MaxSamples is -1":               {MaxSamples: -1},
	} {
		var written bytes.Buffer
		if err := p.Write(&written, s); err == nil || !strings.Contains(err.Error(), want) || written.Len() > 0 {
			t.Errorf("%+v: %d bytes and the error %v, want %q", s, written.Len(), err, want)
		}
	}
}

func uncompressedSize(t *testing.T, p *cgoheap.Profiler, s cgoheap.Selection) int64 {
	t.Helper()
	return int64(len(uncompressed(t, p, s)))
}

func uncompressed(t *testing.T, p *cgoheap.Profiler, s cgoheap.Selection) []byte {
	t.Helper()
	var written bytes.Buffer
	if err := p.Write(&written, s); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&written)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTwoProfilesOfOneStateAreEqualButForTheirTime(t *testing.T) {
	p := start(t, everything)
	manySizes(t, 100)
	for _, view := range []cgoheap.View{cgoheap.ViewInUse(), cgoheap.ViewAllocated(), cgoheap.ViewPeak(), cgoheap.ViewAge(0), cgoheap.ViewShortLived(0)} {
		t.Run(view.String(), func(t *testing.T) {
			if view == cgoheap.ViewAge(0) {
				time.Sleep(1100 * time.Millisecond) // no class of age is passed between the two
			}
			var one, other []byte
			for range 3 { // a class of age may be passed between the two, but not again and again
				quiet(t, p, func() {
					one = withoutTime(t, uncompressed(t, p, cgoheap.Selection{View: view}))
					other = withoutTime(t, uncompressed(t, p, cgoheap.Selection{View: view}))
				})
				if bytes.Equal(one, other) {
					return
				}
			}
			t.Error("they differ")
		})
	}
}

// withoutTime cuts the field time_nanos (9, a varint) out of a message. It is written in the header, before any sample.
func withoutTime(t *testing.T, raw []byte) []byte {
	t.Helper()
	p, err := profile.ParseUncompressed(raw)
	if err != nil {
		t.Fatal(err)
	}
	var field []byte
	for field = append(field, 9<<3); p.TimeNanos >= 0x80; p.TimeNanos >>= 7 {
		field = append(field, byte(p.TimeNanos)|0x80)
	}
	field = append(field, byte(p.TimeNanos))
	before, after, found := bytes.Cut(raw, field)
	if !found {
		t.Fatal("the profile has no time")
	}
	return slices.Concat(before, after)
}

func TestSamplesOfEqualStacksAndDifferentSizesStayApart(t *testing.T) {
	p := start(t, everything)
	blocks := []unsafe.Pointer{profiletest.Leak(8), profiletest.Leak(16)}
	for _, block := range blocks {
		defer victim.Free(block)
	}
	text := profiletest.Readable(take(t, p))
	if strings.Count(text, "bytes=8 bytes") != 1 || strings.Count(text, "bytes=16 bytes") != 1 {
		t.Error(text)
	}
}

func TestCompressionOfAProfile(t *testing.T) {
	p := start(t, everything)
	manySizes(t, 50)
	raw, err := profile.ParseUncompressed(compressed(t, p, -1))
	if err != nil || len(profiletest.Through(raw, "leakBelow")) != 50 {
		t.Errorf("%v, %v", raw, err)
	}
	if fast, best := len(compressed(t, p, 0)), len(compressed(t, p, 9)); best >= fast {
		t.Errorf("%d bytes at the best level, %d at the fastest", best, fast)
	}
	if err := p.Write(io.Discard, cgoheap.Selection{Compression: 10}); err == nil || !strings.Contains(err.Error(), "Compression is 10; it must be from -1 to 9") {
		t.Error(err)
	}
}

func compressed(t *testing.T, p *cgoheap.Profiler, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, cgoheap.Selection{Compression: level}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

//go:noinline
func allocateOfManySizes(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

func TestABlocksSizeIsALabelUnlessItsStackHasTooManySizes(t *testing.T) {
	p := start(t, everything)
	var blocks []unsafe.Pointer
	for size := range uintptr(300) {
		blocks = append(blocks, allocateOfManySizes(size))
	}
	taken := take(t, p)
	for _, block := range blocks {
		victim.Free(block)
	}
	unlabelled := 0
	for _, s := range profiletest.Through(taken, "allocateOfManySizes") {
		switch size := s.NumLabel["bytes"]; {
		case len(size) == 0:
			unlabelled++
			if s.Value[0] != 300-16 {
				t.Errorf("%d blocks have no size", s.Value[0])
			}
		case s.Value[0] != 1 || s.Value[1] != size[0]:
			t.Errorf("a block of %d bytes has the values %v", size[0], s.Value)
		}
	}
	if unlabelled != 1 {
		t.Errorf("%d samples have no size", unlabelled)
	}
}
