package flame

// Measures of a picture, in pixels at scale 1.
const (
	pictureWidth = 1200.0
	margin       = 16.0
	headHeight   = 64.0
	rowHeight    = 19.0
	boxGap       = 1.0 // between neighbours, to the right and below
	textInset    = 4.0
	fontSize     = 11.5
	narrowestBox = 0.6 // narrower ones are not drawn
)

// box is a node with its position.
type box struct {
	*Node
	X, Y, Width float64
	Label       string // as much of the name as fits; "" if nothing does
}

// layout places the nodes below the head of a picture, row by row from the root down. A child's share of the picture's
// width is its share of the root's value.
func layout(root *Node, face *typeface) []box {
	l := layouter{face: face, perUnit: (pictureWidth - 2*margin) / float64(max(root.Value, 1))}
	l.place(root, margin, headHeight)
	return l.boxes
}

type layouter struct {
	face    *typeface
	perUnit float64 // width of one unit of value
	boxes   []box
}

func (l *layouter) place(n *Node, x, y float64) {
	width := float64(n.Value) * l.perUnit
	if width < narrowestBox {
		return
	}
	label := l.face.fit(ShortName(n.Name), width-boxGap-2*textInset)
	l.boxes = append(l.boxes, box{Node: n, X: x, Y: y, Width: width, Label: label})
	for _, child := range n.Children {
		l.place(child, x, y+rowHeight)
		x += float64(child.Value) * l.perUnit
	}
}

// heightOf is the height of a picture that shows all boxes.
func heightOf(boxes []box) float64 {
	lowest := headHeight
	for _, box := range boxes {
		lowest = max(lowest, box.Y)
	}
	return lowest + rowHeight + margin
}
