//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
)

// half are blocks of the scene: they were allocated at a moment between these.
type half struct{ first, last time.Time }

// settled is more than what ages are exact to.
const settled = 50 * time.Millisecond

// class returns the least age, in seconds, of the class of all blocks of the half, from one moment to another; false if they may
// be of different classes.
func (h half) class(from, to time.Time) (int, bool) {
	youngest, oldest := classOf(from.Sub(h.last)-settled), classOf(to.Sub(h.first)+settled)
	return oldest, youngest == oldest
}

func classOf(age time.Duration) int {
	for _, least := range []int{24 * 3600, 3600, 600, 60, 10, 1} {
		if age >= time.Duration(least)*time.Second {
			return least
		}
	}
	return 0
}

// playHalves plays the scene: its first half is old, its second young.
func playHalves(t *testing.T) (old, young half) {
	old.first = time.Now()
	profiletest.Play(t, func() {
		young.first = time.Now()
		old.last = young.first.Add(-profiletest.Interval)
	})
	young.last = time.Now()
	return old, young
}

// aged returns a view of the scene, with the classes that its halves have at that moment. A view that takes so long that a block
// changes its class meanwhile is taken again.
func aged(t *testing.T, p *cgoheap.Profiler, view cgoheap.View, old, young half) (string, [2]int) {
	t.Helper()
	for {
		from := time.Now()
		text := profiletest.Readable(selected(t, p, cgoheap.Selection{View: view}))
		to := time.Now()
		oldest, sureOfOld := old.class(from, to)
		youngest, sureOfYoung := young.class(from, to)
		if sureOfOld && sureOfYoung {
			return text, [2]int{youngest, oldest}
		}
	}
}

// The golden file has the young ones in the class from 0 seconds on, and the old ones in that from 1 second on, as they are where
// the test is fast enough. Elsewhere each half has the class that the clock says.
func TestViewsOfAge(t *testing.T) {
	p := start(t, everything)
	old, young := playHalves(t)
	for least, name := range []string{"age from 0 on", "age from 1 second on"} {
		t.Run(name, func(t *testing.T) {
			got, classes := aged(t, p, cgoheap.ViewAge(time.Duration(least)*time.Second), old, young)
			if diff := cmp.Diff(wantAges(t, least, classes), got); diff != "" {
				t.Errorf("classes %d: %s", classes, diff)
			}
		})
	}
}

// wantAges returns the golden file's lines with these classes in place of 0 and 1, less those below least.
func wantAges(t *testing.T, least int, classes [2]int) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "views", "age.golden"))
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for line := range strings.Lines(string(text)) {
		for i, class := range classes {
			before, after, found := strings.Cut(line, fmt.Sprintf("age=%d ", i))
			if !found {
				continue
			}
			line = fmt.Sprintf("%sage=%d %s", before, class, after)
			if class < least {
				line = ""
			}
			break
		}
		want.WriteString(line)
	}
	return want.String()
}
