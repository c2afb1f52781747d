package flame

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// PNG writes the picture as a file that any viewer can show, 1200 × scale pixels wide.
func (p *Picture) PNG(w io.Writer, scale float64) error {
	face, err := newTypeface(scale)
	if err != nil {
		return err
	}
	boxes := layout(p.Root, face)
	c := newCanvas(heightOf(boxes), face)
	c.text(margin, titleLine, p.Title, ink{face.title, titleInk})
	c.text(margin, subtitleLine, p.Subtitle, ink{face.text, quietInk})
	for _, s := range swatches(face) {
		c.fill(area{s.x, titleLine - swatchSize + 1, swatchSize, swatchSize}, fills[s.Kind][1])
		c.text(s.x+swatchSize+textInset, titleLine, s.String(), ink{face.text, quietInk})
	}
	for i := range boxes {
		c.draw(&boxes[i])
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return encoder.Encode(w, c.image)
}

// canvas draws in pixels at scale 1 on an image at another. A palette makes the file a third as large.
type canvas struct {
	image *image.Paletted
	face  *typeface
}

type area struct{ x, y, width, height float64 }

type ink struct {
	font.Face
	color.RGBA
}

func newCanvas(height float64, face *typeface) *canvas {
	size := image.Rect(0, 0, int(pictureWidth*face.scale), int(math.Ceil(height*face.scale)))
	c := &canvas{image.NewPaletted(size, palette()), face}
	c.fill(area{0, 0, pictureWidth, height}, background)
	return c
}

// palette is every colour that can occur: each fill, and the steps of an edge from it to the ink that is used on it.
func palette() color.Palette {
	const steps = 16
	var p color.Palette
	edge := func(fill, ink color.RGBA) {
		for step := range steps {
			mix := func(from, to uint8) uint8 { return uint8((int(from)*(steps-1-step) + int(to)*step) / (steps - 1)) }
			p = append(p, color.RGBA{mix(fill.R, ink.R), mix(fill.G, ink.G), mix(fill.B, ink.B), 0xff})
		}
	}
	edge(background, titleInk)
	edge(background, quietInk)
	edge(rootFill, titleInk)
	for _, pair := range fills {
		edge(pair[0], titleInk)
		edge(pair[1], titleInk)
	}
	return p
}

func (c *canvas) draw(b *box) {
	c.fill(area{b.X, b.Y, b.Width - boxGap, rowHeight - boxGap}, b.fill())
	if b.Label != "" {
		c.text(b.X+textInset, b.Y+13, b.Label, ink{c.face.text, titleInk})
	}
}

// fill paints whole pixels, at least one across.
func (c *canvas) fill(a area, fill color.RGBA) {
	left, top := int(math.Round(a.x*c.face.scale)), int(math.Round(a.y*c.face.scale))
	right := max(left+1, int(math.Round((a.x+a.width)*c.face.scale)))
	bottom := int(math.Round((a.y + a.height) * c.face.scale))
	index := uint8(c.image.Palette.Index(fill))
	for y := top; y < min(bottom, c.image.Rect.Max.Y); y++ {
		row := c.image.Pix[y*c.image.Stride:][:c.image.Stride]
		for x := left; x < min(right, len(row)); x++ {
			row[x] = index
		}
	}
}

func (c *canvas) text(x, baseline float64, text string, with ink) {
	drawer := font.Drawer{
		Dst:  c.image,
		Src:  image.NewUniform(with.RGBA),
		Face: with.Face,
		Dot:  fixed.Point26_6{X: fixed26(x * c.face.scale), Y: fixed26(baseline * c.face.scale)},
	}
	drawer.DrawString(text)
}

func fixed26(pixels float64) fixed.Int26_6 { return fixed.Int26_6(math.Round(pixels * 64)) }
