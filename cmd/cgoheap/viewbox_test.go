//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func TestABoxIsShown(t *testing.T) {
	box := killed(t, toolchain.Memory(t))
	h := opened(t, box, nil)
	a := askedJSON[page.About](t, h, "/about")
	if len(a.Ended) != 3 || !strings.Contains(a.Of, box) || a.Views[0].Name != "inuse" || len(a.Views) != 5 {
		t.Errorf("%+v", a)
	}
	for _, v := range a.Views {
		s := askedJSON[page.Stacks](t, h, "/stacks?view="+v.Name)
		if got := asked(h, http.MethodGet, "/profile?view="+v.Name); got.Code != http.StatusOK || s.View != v.Name {
			t.Errorf("%s: %d", v.Name, got.Code)
		}
		if v.Name != "shortlived" && s.Total < leaked {
			t.Errorf("%s: %d bytes", v.Name, s.Total)
		}
	}
	if a.Timeline {
		moments := askedJSON[struct{ Seconds [][]any }](t, h, "/timeline").Seconds
		l := askedJSON[overview](t, h, "/account")
		var sum int64
		for _, p := range l.Lines {
			sum += p.Bytes
		}
		if len(moments) == 0 || sum != l.Bytes || sum == 0 {
			t.Errorf("%d moments; the lines add up to %d, RSS is %d", len(moments), sum, l.Bytes)
		}
	}
	if !exists(box) {
		t.Error("the box is gone")
	}
}

// As by the program's next start.
func TestABoxThatIsShownIsRecovered(t *testing.T) {
	box := killed(t, toolchain.Memory(t))
	h := opened(t, box, nil)
	if code, out, trouble := ran("-rm", box); code != exitGood || exists(box) {
		t.Fatalf("exit code %d, %q, %q", code, out, trouble)
	}
	if s := askedJSON[page.Stacks](t, h, "/stacks?view=peak"); s.Total < leaked {
		t.Errorf("%d bytes, after the box was removed", s.Total)
	}
}

func TestAProcessIsShownFromOutside(t *testing.T) {
	box, _ := recorded(t, toolchain.Memory(t))
	h := opened(t, pidOf(t, box), func(v *viewing) { v.name = "rss" })
	if a := askedJSON[page.About](t, h, "/about"); a.Name != "process "+pidOf(t, box) || !strings.Contains(a.Of, "view rss") {
		t.Errorf("%+v", a)
	}
	l, s := askedJSON[overview](t, h, "/account"), askedJSON[page.Stacks](t, h, "/stacks")
	var sum int64
	for _, p := range l.Lines {
		sum += p.Bytes
	}
	if sum != l.Bytes || l.Bytes != s.Total || s.Total == 0 {
		t.Errorf("the lines add up to %d, the account has %d, the stacks have %d", sum, l.Bytes, s.Total)
	}
}

func TestTwoProcessesAreCompared(t *testing.T) {
	one, _ := recorded(t, toolchain.Memory(t))
	other := killed(t, toolchain.Memory(t))
	code, out, trouble := ranWith(t, "", "diff", "-json", pidOf(t, one), other)
	var d difference
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitGood || d.Before < leaked || d.After < leaked {
		t.Errorf("exit code %d, %v, %q, %q", code, err, out, trouble)
	}
}

func TestWhatWasDumpedAsJSON(t *testing.T) {
	box, _ := recorded(t, toolchain.Memory(t))
	to := filepath.Join(t.TempDir(), "d.pb.gz")
	code, out, trouble := ranWith(t, "", "dump", pidOf(t, box), "-json", "-o", to)
	var d dumped
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitGood || d.File != to || d.Program == "" || d.StoodSeconds <= 0 || d.Time.Before(d.Started) {
		t.Errorf("exit code %d, %v, %q, %q", code, err, out, trouble)
	}
	if got := leakIn(t, to); got[3] != leaked {
		t.Error(got)
	}
}
