//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/profiletest"
)

func TestTextForAPerson(t *testing.T) {
	p := start(t, everything)
	profiletest.PlayTaking(t, p.Baseline)

	t.Run("it begins with what it is and the total, and the largest stack comes first", func(t *testing.T) {
		answer := profiletest.Ask(p.Handler(), "debug=1")
		if kind := answer.Header().Get("Content-Type"); kind != "text/plain; charset=utf-8" {
			t.Error(kind)
		}
		text := answer.Body.String()
		for _, want := range []string{"native memory in use, and allocated since", "\ntotal: in use 8.75 KiB in 6 blocks, allocated 1.01 MiB in"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
		_, first, _ := strings.Cut(text, "\n1. ")
		first, _, _ = strings.Cut(first, "\n2. ")
		if !strings.HasPrefix(first, "in use 3.91 KiB in 1 block, allocated 3.91 KiB in 1 block, blocks of 4000 bytes\n") ||
			!strings.Contains(first, "profiletest.Cache  ") || !strings.Contains(first, "scene.go:") {
			t.Error(first)
		}
	})

	t.Run("debug=0 asks for a profile", func(t *testing.T) {
		if kind := profiletest.Ask(p.Handler(), "debug=0").Header().Get("Content-Type"); kind != "application/octet-stream" {
			t.Error(kind)
		}
	})

	t.Run("stacks beyond the bound are added up", func(t *testing.T) {
		text := profiletest.Ask(p.Handler(), "debug=1&samples=2").Body.String()
		if strings.Contains(text, "\n2. ") || !strings.Contains(text, " more: in use") {
			t.Error(text)
		}
	})

	t.Run("views show what they have", func(t *testing.T) {
		for view, want := range map[string]string{
			"peak":       "total: in use 1.01 MiB in 5 blocks\n",
			"shortlived": "1. allocated 1 MiB in 1 block, blocks of 1048576 bytes",
			"age":        ", at least 1 second old",
		} {
			if text := profiletest.Ask(p.Handler(), "debug=1&view="+view).Body.String(); !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", view, want, text)
			}
		}
	})
}

func TestProfilesSayWhatSizesAre(t *testing.T) {
	p := start(t, everything)
	if !profiletest.HasComment(take(t, p), "sizes are those that the program asked for", "13 to 17 %") {
		t.Error("the profile does not")
	}
	if text := profiletest.Ask(p.Handler(), "debug=1").Body.String(); !strings.Contains(text, "sizes are those that the program asked for") {
		t.Error("the text does not")
	}
	if stats := p.Stats().String(); !strings.Contains(stats, "sizes are those that the program asked for") {
		t.Error("Stats do not")
	}
}
