package flame

import (
	"bufio"
	"fmt"
	"html"
	"image/color"
	"io"
)

// SVG writes the picture as a file for a browser: a box shows its function, its bytes and its file when pointed at.
func (p *Picture) SVG(w io.Writer) error {
	face, err := newTypeface(1)
	if err != nil {
		return err
	}
	boxes := layout(p.Root, face)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%[1]g" height="%[2]g"`+
		` font-family="Go, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="%[3]g">`+"\n",
		pictureWidth, heightOf(boxes), fontSize)
	fmt.Fprintf(out, `<rect width="100%%" height="100%%" fill="%s"/>`+"\n", hex(background))
	p.svgHead(out, face)
	for i := range boxes {
		svgBox(out, &boxes[i], p.Root.Value)
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

func (p *Picture) svgHead(out io.Writer, face *typeface) {
	fmt.Fprintf(out, `<text x="%g" y="%g" font-size="%g" font-weight="bold" fill="%s">%s</text>`+"\n",
		margin, titleLine, titleSize, hex(titleInk), html.EscapeString(p.Title))
	fmt.Fprintf(out, `<text x="%g" y="%g" fill="%s">%s</text>`+"\n",
		margin, subtitleLine, hex(quietInk), html.EscapeString(p.Subtitle))
	for _, s := range swatches(face) {
		fmt.Fprintf(out, `<rect x="%.1f" y="%g" width="%g" height="%[3]g" rx="%g" fill="%s"/>`,
			s.x, titleLine-swatchSize+1, swatchSize, cornerRadius, hex(fills[s.Kind][1]))
		fmt.Fprintf(out, `<text x="%.1f" y="%g" fill="%s">%s</text>`+"\n",
			s.x+swatchSize+textInset, titleLine, hex(quietInk), html.EscapeString(s.String()))
	}
}

// svgBox nests an image in the image: its edge clips the text, whatever the font of the viewer.
func svgBox(out io.Writer, b *box, total int64) {
	fmt.Fprintf(out, `<svg x="%.2f" y="%.2f" width="%.2f" height="%.2f"><title>%s</title>`,
		b.X, b.Y, max(b.Width-boxGap, narrowestBox/2), rowHeight-boxGap, html.EscapeString(b.tooltip(total)))
	fmt.Fprintf(out, `<rect width="100%%" height="100%%" rx="%g" fill="%s"/>`, cornerRadius, hex(b.fill()))
	if b.Label != "" {
		fmt.Fprintf(out, `<text x="%g" y="13" fill="%s">%s</text>`, textInset, hex(titleInk), html.EscapeString(b.Label))
	}
	fmt.Fprintln(out, "</svg>")
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
