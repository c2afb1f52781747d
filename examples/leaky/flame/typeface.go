package flame

import (
	"fmt"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// typeface is the Go fonts at some scale. SVG viewers may have another font; the Go fonts are wide, so text that fits in
// them fits in others.
type typeface struct {
	text, title font.Face
	scale       float64
}

func newTypeface(scale float64) (*typeface, error) {
	text, err := face(goregular.TTF, fontSize*scale)
	if err != nil {
		return nil, err
	}
	title, err := face(gobold.TTF, titleSize*scale)
	if err != nil {
		return nil, err
	}
	return &typeface{text: text, title: title, scale: scale}, nil
}

func face(ttf []byte, size float64) (font.Face, error) {
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		return nil, fmt.Errorf("reading a Go font: %w", err)
	}
	return opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
}

// width is the width of text in pixels at scale 1.
func (t *typeface) width(text string) float64 {
	return float64(font.MeasureString(t.text, text)) / 64 / t.scale
}

// fit shortens text until it is at most width wide. Fewer than three characters are of no use and are dropped.
func (t *typeface) fit(text string, width float64) string {
	if t.width(text) <= width {
		return text
	}
	runes := []rune(text)
	for n := len(runes) - 1; n >= 3; n-- {
		if short := string(runes[:n]) + "…"; t.width(short) <= width {
			return short
		}
	}
	return ""
}
