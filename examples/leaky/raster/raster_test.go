package raster_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/examples/leaky/raster"
)

// plain is a picture of one shade: any thumbnail of it is the same, only smaller.
func plain(magic string, width, height, channels int) []byte {
	header := fmt.Appendf(nil, "%s %d %d 255\n", magic, width, height)
	return append(header, bytes.Repeat([]byte{77}, width*height*channels)...)
}

func TestAThumbnailKeepsItsShadeAndProportions(t *testing.T) {
	for magic, channels := range map[string]int{"P5": 1, "P6": 3} {
		thumbnail, err := raster.Shrink(plain(magic, 640, 480, channels), 64)
		if err != nil {
			t.Fatal(err)
		}
		if want := plain(magic, 64, 48, channels); !bytes.Equal(thumbnail, want) {
			t.Errorf("%s: got %d bytes that start %q, want %d that start %q",
				magic, len(thumbnail), thumbnail[:12], len(want), want[:12])
		}
	}
}

func TestAMalformedPictureIsASentence(t *testing.T) {
	cases := map[string]struct {
		picture []byte
		want    string
	}{
		"empty":     {nil, "neither PPM nor PGM"},
		"unknown":   {[]byte("P3 1 1 255\nxxx"), "P3 are not supported"},
		"no height": {[]byte("P6 12 x"), "no number at byte"},
		"huge":      {[]byte("P6 99999 1 255\n"), "no number at byte"},
		"truncated": {plain("P6", 8, 8, 3)[:100], "of 192 bytes"},
		"header":    {[]byte("P6 1 1 255"), "8 bits per channel"},
	}
	for name, c := range cases {
		thumbnail, err := raster.Shrink(c.picture, 4)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
		if thumbnail != nil {
			t.Errorf("%s: %d bytes besides the error", name, len(thumbnail))
		}
	}
}

func TestACacheRendersOncePerKey(t *testing.T) {
	cache, err := raster.OpenCache()
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	for _, key := range []string{"a", "b", "a"} {
		if _, err := cache.Thumbnail(key, plain("P6", 32, 32, 3), 8); err != nil {
			t.Fatal(err)
		}
	}
	if got := cache.Entries(); got != 2 {
		t.Errorf("%d entries, want 2", got)
	}
}

func TestAPictureThatFailsIsNotCached(t *testing.T) {
	cache, err := raster.OpenCache()
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	if _, err := cache.Thumbnail("a", []byte("junk"), 8); err == nil {
		t.Error("no error")
	}
	if got := cache.Entries(); got != 0 {
		t.Errorf("%d entries, want none", got)
	}
}

func TestAWorkerKeepsOrderAndReportsFailures(t *testing.T) {
	worker, err := raster.OpenWorker()
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	thumbnails, err := worker.ShrinkAll([][]byte{plain("P5", 8, 8, 1), []byte("junk"), plain("P6", 8, 8, 3)}, 4)
	if err == nil || !strings.Contains(err.Error(), "neither PPM nor PGM") {
		t.Errorf("error %v, want the junk's", err)
	}
	if !bytes.Equal(thumbnails[0], plain("P5", 4, 4, 1)) || !bytes.Equal(thumbnails[2], plain("P6", 4, 4, 3)) {
		t.Error("the good pictures did not come back in order")
	}
}
