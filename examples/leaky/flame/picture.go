package flame

import (
	"fmt"
	"image/color"
)

// Picture is a flame graph with its title.
type Picture struct {
	Title    string
	Subtitle string
	Root     *Node
}

const (
	titleSize    = 17.0
	titleLine    = margin + 15 // baselines
	subtitleLine = margin + 34
	cornerRadius = 2.0
	swatchSize   = 11.0
)

var (
	background = color.RGBA{0xff, 0xff, 0xff, 0xff}
	titleInk   = color.RGBA{0x1c, 0x23, 0x2b, 0xff}
	quietInk   = color.RGBA{0x5b, 0x66, 0x70, 0xff}
	rootFill   = color.RGBA{0xe9, 0xec, 0xef, 0xff}
)

// fills are the colours of the kinds, two each so that neighbours in one column can be distinguished.
var fills = [...][2]color.RGBA{
	Unknown:   {{0xf1, 0xf1, 0xf1, 0xff}, {0xe6, 0xe6, 0xe6, 0xff}},
	Go:        {{0x8f, 0xd3, 0xe8, 0xff}, {0x7b, 0xc8, 0xe0, 0xff}},
	C:         {{0xfa, 0xd3, 0x7c, 0xff}, {0xf7, 0xc8, 0x60, 0xff}},
	CPlusPlus: {{0xf6, 0xa7, 0x8c, 0xff}, {0xf2, 0x97, 0x79, 0xff}},
	Line:      {{0xe3, 0xdc, 0xd2, 0xff}, {0xd9, 0xd1, 0xc5, 0xff}},
	Runtime:   {{0xdd, 0xe1, 0xe5, 0xff}, {0xd2, 0xd7, 0xdc, 0xff}},
}

var legend = [...]Kind{Go, Runtime, C, CPlusPlus, Line}

// fill is the box's colour. Rows alternate between the two of its kind.
func (b *box) fill() color.RGBA {
	if b.Y == headHeight {
		return rootFill
	}
	row := int((b.Y - headHeight) / rowHeight)
	return fills[b.Kind][row%2]
}

// tooltip is the text that a viewer shows for the box that is pointed at.
func (b *box) tooltip(total int64) string {
	text := fmt.Sprintf("%s\n%s (%s)", b.Name, FormatBytes(b.Value), FormatShare(b.Value, total))
	if b.File != "" {
		text += "\n" + b.File
	}
	return text
}

// swatch is one entry of the legend.
type swatch struct {
	Kind
	x float64
}

// swatches places the legend in the upper right corner.
func swatches(face *typeface) []swatch {
	x := pictureWidth - margin
	placed := make([]swatch, len(legend))
	for i := len(legend) - 1; i >= 0; i-- {
		x -= swatchSize + textInset + face.width(legend[i].String())
		placed[i] = swatch{legend[i], x}
		x -= 1.5 * margin
	}
	return placed
}

// FormatBytes writes an amount of memory for a person.
func FormatBytes(n int64) string {
	const kib, mib = 1 << 10, 1 << 20
	switch {
	case n >= mib || n <= -mib:
		return fmt.Sprintf("%.1f MiB", float64(n)/mib)
	case n >= kib || n <= -kib:
		return fmt.Sprintf("%.1f KiB", float64(n)/kib)
	}
	return fmt.Sprintf("%d B", n)
}

// FormatShare writes part as percents of total.
func FormatShare(part, total int64) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(total, 1)))
}
