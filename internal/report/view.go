package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

// View is how a profile of native memory is written.
type View struct {
	Name        string
	About       string // continues the comment that begins with "native memory"
	Columns     pprof.Columns
	DefaultType string
	InUse       string // what texts say of the bytes in use, if they are not: "resident"
}

// The views of one moment.
var (
	InUse       = View{Name: "inuse", About: "in use, and allocated since"}
	Allocated   = View{Name: "allocated", About: "in use, and (shown first) allocated since", DefaultType: "alloc_space"}
	Peak        = View{Name: "peak", About: "in use at the highest moment, recorded since", Columns: pprof.InuseColumns}
	Age         = View{Name: "age", About: "in use by age, recorded since", Columns: pprof.InuseColumns}
	ShortLived  = View{Name: "shortlived", About: "freed soon after it was allocated, recorded since", Columns: pprof.AllocatedColumns}
	Growth      = View{Name: "growth", About: "in use now less that of an earlier moment, compared since", Columns: pprof.InuseColumns, InUse: "grew by"}
	Unreachable = View{Name: "unreachable", About: "in use that nothing in the program's memory was found to point to, recorded since", Columns: pprof.InuseColumns}
	HeldBy      = View{Name: "heldby", About: "in use, by what was found first to point to it, recorded since", Columns: pprof.InuseColumns}
	Pinned      = View{Name: "pinned", About: "free, but kept resident by blocks in use on the same pages, recorded since", Columns: pprof.InuseColumns, InUse: "pinned"}
	Device      = View{Name: "device", About: "of devices, in use, and allocated since", InUse: "in use on devices"}
	RSS         = View{Name: "rss", About: "resident, and beside it everything else that is resident in the process, recorded since", Columns: pprof.InuseColumns, InUse: "resident"}
)

// HeapLabel is the key of the label that distinguishes Go's own heap from native memory in a profile of both.
const HeapLabel = "heap"

const seconds = "2006-01-02 15:04:05 MST"

// sizesComment explains why a process takes more memory than its profile shows.
const sizesComment = "cgoheap: sizes are those that the program asked for, without what an allocator adds by headers and rounding, " +
	"13 to 17 % where blocks are small"

// deviceComment is what the profile of devices says of sizes.
const deviceComment = "cgoheap: it is not in RSS; sizes are those that were asked of the driver, which may round them up"

// BesideComment says that memory of devices is in use that a profile of the host's memory does not have.
func BesideComment(bytes int64) string {
	return fmt.Sprintf("cgoheap: beside it, %d bytes of devices' memory are in use: view=device", bytes)
}

// Comments returns what a profile of the view says first of the native memory in it.
func (v *View) Comments(p *stack.Profile) []string {
	sizes := sizesComment
	if v.Name == Device.Name {
		sizes = deviceComment
	}
	return []string{fmt.Sprintf("cgoheap: native memory %s %s, %s", v.About, p.Start.UTC().Format(seconds), Sampling(p.SampleBytes)), sizes}
}

// Sampling says how often there is a sample.
func Sampling(bytes int64) string {
	if bytes == 1 {
		return "every allocation"
	}
	return fmt.Sprintf("one sample per %d bytes on average", bytes)
}

// PeakComment says when the peak was.
func PeakComment(peak time.Time) string {
	return "cgoheap: the highest moment was at " + peak.UTC().Format(seconds)
}

// The beginnings of what profiles say of blocks that they leave out.
const (
	youngerComment = "cgoheap: left out are blocks that are younger than "
	livedComment   = "cgoheap: left out are blocks that were not freed within "
)

// YoungerComment says that blocks younger than that are left out.
func YoungerComment(than time.Duration) string { return youngerComment + than.String() }

// LivedComment says that blocks that were not freed within that time are left out.
func LivedComment(within time.Duration) string { return livedComment + within.String() }

// LeftOut returns what comments say of blocks that the profile leaves out; "" for nothing.
func LeftOut(comments []string) string {
	for _, c := range comments {
		if strings.HasPrefix(c, youngerComment) || strings.HasPrefix(c, livedComment) {
			return strings.TrimPrefix(c, "cgoheap: left out are ")
		}
	}
	return ""
}

// LossComment says what a profile lacks.
func LossComment(l stack.Loss) string {
	return fmt.Sprintf("cgoheap: %s: %d %s", l.Name, l.Count, l.Sentence)
}

// LossIn finds what comments say of a loss by its name, as LossComment wrote it.
func LossIn(comments []string, name string) (l stack.Loss, found bool) {
	for _, c := range comments {
		if rest, is := strings.CutPrefix(c, "cgoheap: "+name+": "); is {
			count, sentence, _ := strings.Cut(rest, " ")
			n, err := strconv.ParseUint(count, 10, 64)
			return stack.Loss{Name: name, Sentence: sentence, Count: n}, err == nil
		}
	}
	return l, false
}
