//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/page"
)

func TestABoxIsShown(t *testing.T) {
	box := killed(t, t.TempDir())
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
		l := askedJSON[look](t, h, "/account")
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
