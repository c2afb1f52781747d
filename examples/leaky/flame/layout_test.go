package flame

import (
	"math"
	"testing"
)

func laidOut(t *testing.T) []box {
	t.Helper()
	root, err := New(shopProfile(), "inuse_space")
	if err != nil {
		t.Fatal(err)
	}
	face, err := newTypeface(1)
	if err != nil {
		t.Fatal(err)
	}
	return layout(root, face)
}

func TestWidthsAreProportionalToValues(t *testing.T) {
	full := pictureWidth - 2*margin
	for _, b := range laidOut(t) {
		if want := full * float64(b.Value) / 100; math.Abs(b.Width-want) > 1e-9 {
			t.Errorf("%s is %g wide, want %g", b.Name, b.Width, want)
		}
	}
}

func TestAChildLiesBelowItsParent(t *testing.T) {
	boxes := laidOut(t)
	parents := map[*Node]box{}
	for _, b := range boxes {
		for _, child := range b.Children {
			parents[child] = b
		}
	}
	for _, b := range boxes[1:] {
		parent := parents[b.Node]
		if b.Y != parent.Y+rowHeight || b.X < parent.X-1e-9 || b.X+b.Width > parent.X+parent.Width+1e-9 {
			t.Errorf("%s at %g,%g does not lie below %s at %g,%g", b.Name, b.X, b.Y, parent.Name, parent.X, parent.Y)
		}
	}
}

func TestBoxesOfOneRowDoNotOverlap(t *testing.T) {
	right := map[float64]float64{}
	for _, b := range laidOut(t) {
		if b.X < right[b.Y]-1e-9 {
			t.Errorf("%s starts at %g, left of %g", b.Name, b.X, right[b.Y])
		}
		right[b.Y] = b.X + b.Width
	}
}

func TestALabelFitsItsBox(t *testing.T) {
	face, err := newTypeface(1)
	if err != nil {
		t.Fatal(err)
	}
	const name = "raster_cache_thumbnail"
	for width := 0.0; width < 200; width += 7 {
		label := face.fit(name, width)
		if label != "" && face.width(label) > width {
			t.Errorf("%q is wider than %g", label, width)
		}
	}
	if got := face.fit(name, 200); got != name {
		t.Errorf("%q was shortened though there is room", got)
	}
}
