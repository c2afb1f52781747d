//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/symbolize"
)

func TestUnreadableMaps(t *testing.T) {
	t.Run("the profile is written without files, and says so", func(t *testing.T) {
		o := everything.options()
		o.MaxDepth = 128
		o.Modules = func() ([]mappings.Module, error) { return nil, errors.New("permission denied") }
		recording, err := alloc.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		p := &Profiler{config: Config{Logger: slog.New(slog.DiscardHandler)}, recording: recording, names: symbolize.New(symbolize.Options{})}
		defer p.Stop()
		defer victim.Free(allocate(1000))
		taken := take(t, p)
		if len(taken.Mapping) != 1 || taken.Mapping[0].File != "[code of no known file]" {
			t.Errorf("%v", taken.Mapping)
		}
		if !profiletest.HasComment(taken, "maps_unreadable", "permission denied") {
			t.Errorf("%q", taken.Comments)
		}
		if p.Stats().Value("maps_unreadable") != 1 {
			t.Error(p.Stats())
		}
		for _, s := range taken.Sample {
			if size := s.NumLabel["bytes"]; len(size) == 1 && size[0] == 1000 {
				if len(s.Location) == 0 || s.Value[3] != 1000 {
					t.Errorf("%v", s)
				}
				return
			}
		}
		t.Error("the block is missing")
	})
}
