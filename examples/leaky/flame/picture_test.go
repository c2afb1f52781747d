package flame

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"
)

func shopPicture(t *testing.T) *Picture {
	t.Helper()
	root, err := New(shopProfile(), "inuse_space")
	if err != nil {
		t.Fatal(err)
	}
	return &Picture{Title: "shop & co", Subtitle: "100 B", Root: root}
}

func TestAnSVGIsWellFormedAndHoldsEveryBox(t *testing.T) {
	var out bytes.Buffer
	if err := shopPicture(t).SVG(&out); err != nil {
		t.Fatal(err)
	}
	var texts []string
	decoder := xml.NewDecoder(&out)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok {
			texts = append(texts, string(data))
		}
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"shop & co", "all", "report\n70 B (70.0 %)\nreport.go", "<vec&>", "lib.so", "malloc"} {
		if !strings.Contains(all, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if strings.Contains(all, "freed") {
		t.Error("the picture shows a function that holds nothing")
	}
}

func TestAPNGIsAsLargeAsItsScale(t *testing.T) {
	for _, scale := range []float64{1, 2} {
		var out bytes.Buffer
		if err := shopPicture(t).PNG(&out, scale); err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(&out)
		if err != nil {
			t.Fatal(err)
		}
		if want := int(pictureWidth * scale); config.Width != want {
			t.Errorf("%d pixels wide, want %d", config.Width, want)
		}
	}
}

func TestAnEmptyProfileIsAPictureToo(t *testing.T) {
	p := shopProfile()
	p.Sample = nil
	root, err := New(p, "inuse_space")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Picture{Title: "nothing", Root: root}).SVG(io.Discard); err != nil {
		t.Error(err)
	}
}

func TestBytesAreWrittenForAPerson(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 5 << 20: "5.0 MiB", -1536: "-1.5 KiB"} {
		if got := FormatBytes(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestThePaletteFitsAByte(t *testing.T) {
	if got := len(palette()); got > 256 {
		t.Errorf("%d colours", got)
	}
}
