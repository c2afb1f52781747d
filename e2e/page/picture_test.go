package page

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// picturesVariable names the folder that pictures of the page go to.
const picturesVariable = "CGOHEAP_PICTURES"

func TestPicturesOfThePage(t *testing.T) {
	dir := os.Getenv(picturesVariable)
	if dir == "" {
		t.Skipf("%s does not say where to: make pictures runs this test", picturesVariable)
	}
	address := leaky(t)
	for n := range 20 { // lines that climb, and two moments of suspects
		visit(t, address, 2000+150*n)
		time.Sleep(time.Second)
		get(t, address+folder+"suspects")
	}
	b := open(t, address+folder, 1280, 800)
	for name, scheme := range map[string]string{"page.png": "light", "page-dark.png": "dark"} {
		feature := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme}
		var picture []byte
		b.do(t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{feature}), chromedp.CaptureScreenshot(&picture))
		save(t, filepath.Join(dir, name), picture)
	}
}

// The page fits a phone: nothing is wider than its screen.
func TestAPhonesScreenIsWideEnough(t *testing.T) {
	b := open(t, leaky(t)+folder, 390, 844)
	if wide := eval[int](t, b, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d pixels wide", wide)
	}
}

// save writes a picture in its 256 most frequent colours, which takes half the room.
func save(t *testing.T, path string, picture []byte) {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	var small bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&small, fewColours(full)); err != nil {
		t.Fatal(err)
	}
	const most = 120 << 10
	if small.Len() > most {
		t.Errorf("%s has %d bytes, more than %d", path, small.Len(), most)
	}
	if err := os.WriteFile(path, small.Bytes(), 0o644); err != nil { //nolint:gosec // all may see it
		t.Fatal(err)
	}
}

func fewColours(full image.Image) image.Image {
	count := make(map[color.Color]int)
	size := full.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			count[full.At(x, y)]++
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return count[b] - count[a] })
	few := image.NewPaletted(size, all[:min(len(all), 256)])
	nearest := make(map[color.Color]uint8)
	for i, c := range all {
		nearest[c] = uint8(min(i, 255))
		if i >= len(few.Palette) {
			nearest[c] = uint8(few.Palette.Index(c))
		}
	}
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			few.SetColorIndex(x, y, nearest[full.At(x, y)])
		}
	}
	return few
}
