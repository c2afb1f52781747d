//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/profiletest"
)

func TestParametersOfTheViewOfRSS(t *testing.T) {
	p := start(t, everything)
	for _, parameters := range []string{"view=rss", "view=rss&heap=all", "view=rss&samples=100"} {
		if answer := profiletest.Ask(p.Handler(), parameters); answer.Code != http.StatusOK {
			t.Errorf("%s: %d, %s", parameters, answer.Code, answer.Body)
		}
	}
	if answer := profiletest.Ask(p.Handler(), "view=rss&seconds=1"); answer.Code != http.StatusBadRequest {
		t.Errorf("a delta: %d, %s", answer.Code, answer.Body)
	}
	text := profiletest.Ask(p.Handler(), "view=rss&debug=1").Body.String()
	if !strings.Contains(text, "\nRSS ") || !strings.Contains(text, "\n["+account.Code+"]: ") {
		t.Error(text)
	}
}
