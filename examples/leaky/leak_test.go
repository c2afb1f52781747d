package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

// copyBytes is less than any copy of the shop has.
const copyBytes = 200_000

// TestOnlyTheGuiltyHandlersHoldMemory records every allocation of some requests and checks in the profile who still holds what.
func TestOnlyTheGuiltyHandlersHoldMemory(t *testing.T) {
	s := openTestShop(t)
	s.visit(0) // what is made once is made before the recording
	heap, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = heap.Stop() })
	const visits = 50
	for visit := 1; visit <= visits; visit++ {
		s.visit(visit)
	}
	held := inUse(t, heap, cgoheap.Selection{})
	const thumbnail = int64(len("P6 96 72 255\n") + 96*72*3)
	if got := held["handleThumbnail"]; got < visits*thumbnail || got > visits*(thumbnail+512) {
		t.Errorf("handleThumbnail holds %d bytes, want %d thumbnails of %d", got, visits, thumbnail)
	}
	if got := held["handleReport"]; got < visits*1000 {
		t.Errorf("handleReport holds %d bytes, want at least 1000 per statement", got)
	}
	resident := inUse(t, heap, cgoheap.Selection{View: cgoheap.ViewRSS()})
	if got := resident["handleExport"] - held["handleExport"]; got < visits*copyBytes {
		t.Errorf("handleExport has %d bytes mapped, want at least %d per copy", got, copyBytes)
	}
	inFlight := int64(len(newPhoto(0)) + 1000) // the worker frees a picture after it has delivered its thumbnail
	for _, innocent := range []string{"handleOrders", "handlePreview", "handleContactSheet"} {
		if got := held[innocent]; got > inFlight {
			t.Errorf("%s holds %d bytes, want next to nothing", innocent, got)
		}
	}
}

// visit makes one request of each kind.
func (s *shop) visit(number int) {
	s.request("GET", fmt.Sprintf("/orders?customer=%d", 1+number%50), nil)
	s.request("GET", fmt.Sprintf("/report?customer=7&after=%d", number), nil)
	s.request("GET", "/export", nil)
	s.request("GET", fmt.Sprintf("/thumbnail?photo=1&width=96&visit=%d", number), nil)
	s.request("POST", "/preview?width=64", newPhoto(2))
	s.request("POST", "/preview?width=64", []byte("not a picture"))
	s.request("GET", "/contactsheet?width=48", nil)
}

// inUse are the bytes in use by handler.
func inUse(t *testing.T, heap *cgoheap.Profiler, what cgoheap.Selection) map[string]int64 {
	t.Helper()
	var written bytes.Buffer
	if err := heap.Write(&written, what); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&written)
	if err != nil {
		t.Fatal(err)
	}
	space := slices.IndexFunc(p.SampleType, func(v *profile.ValueType) bool { return v.Type == "inuse_space" })
	held := map[string]int64{}
	for _, sample := range p.Sample {
		held[handlerOf(sample)] += sample.Value[space]
	}
	return held
}

func handlerOf(sample *profile.Sample) string {
	for _, location := range sample.Location {
		for _, line := range location.Line {
			for _, handler := range []string{"handleOrders", "handleReport", "handleExport", "handleThumbnail", "handlePreview", "handleContactSheet"} {
				if strings.HasSuffix(line.Function.Name, ")."+handler) {
					return handler
				}
			}
		}
	}
	return "no handler"
}
