//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// What recorded blocks pin, added up, is what the account has found by another road: chunk after chunk, from the kernel's copies of the
// living heaps.
func TestWhatBlocksPinIsWhatTheAccountSays(t *testing.T) {
	p := start(t, everything)
	const blocks, size, kept = 40_000, 200, 4
	list := make([]unsafe.Pointer, blocks)
	for i := range list {
		list[i] = victim.Malloc(size)
	}
	for i, block := range list {
		if i%kept != 0 {
			victim.Free(block)
		} else {
			defer victim.Free(block)
		}
	}
	var written bytes.Buffer
	if err := p.Write(&written, Selection{View: ViewPinned()}); err != nil {
		t.Fatal(err)
	}
	read, err := profile.Parse(&written)
	if err != nil {
		t.Fatal(err)
	}
	if comments := strings.Join(read.Comments, "\n"); !strings.Contains(comments, "it stood still for") || strings.Contains(comments, "looked at were") || strings.Contains(comments, "unreachable") {
		t.Errorf("no pointers are looked for: %s", comments)
	}
	defer func(d time.Duration) { lookingTime = d }(lookingTime)
	lookingTime = time.Minute // on a busy machine it would not be enough for all of it
	a, err := p.Account()
	if err != nil {
		t.Fatal(err)
	}
	var pinned, account float64
	for _, s := range read.Sample {
		pinned += float64(s.Value[1])
	}
	for _, m := range a.Malloc {
		account += float64(m.Pinned)
	}
	t.Logf("blocks pin %.0f bytes, by the account %.0f", pinned, account)
	const freed = blocks * size * (kept - 1) / kept
	if account < freed/2 || pinned < 0.9*account || pinned > 1.1*account {
		t.Errorf("blocks pin %.0f bytes, by the account %.0f; %d were freed beside blocks in use", pinned, account, freed)
	}
}
