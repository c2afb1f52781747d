package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cgoheap/cgoheap/internal/plain"
)

var again = plain.Text

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[31m\x9b\u202e")
	f.Fuzz(func(t *testing.T, text string) {
		plain := plain.Text(text)
		if again(plain) != plain {
			t.Errorf("%q becomes %q", text, plain)
		}
		for _, width := range []int{0, 1, 5, 80} {
			if got := Cut(plain, width); Width(got) > width {
				t.Errorf("%q is %d wide", got, Width(got))
			}
			lines := Wrap(plain, "  ", width)
			for _, line := range lines {
				if Width(line) > max(width, 10) {
					t.Errorf("%q is %d wide", line, Width(line))
				}
			}
			if join := strings.Join(strings.Fields(strings.Join(lines, "")), ""); join != strings.Join(strings.Fields(plain), "") {
				t.Errorf("%q becomes %q", plain, lines)
			}
		}
	})
}

func TestTextIsWrappedBetweenWords(t *testing.T) {
	got := Wrap("1. it grows by averylongwordthatdoesnotfit now", "   ", 16)
	want := []string{"1. it grows by", "   averylongword", "   thatdoesnotfi", "   t now"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got)
	}
	if got := Cut("日本日本日本", 9); got != "日本日..." {
		t.Errorf("%q", got)
	}
}

func TestProgressIsToldAndWipedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		err := progress(&b, "reading \x1b[2J", time.Millisecond, func() error { time.Sleep(50 * time.Millisecond); return nil })
		if text := b.String(); err != nil || !strings.HasPrefix(text, "\rreading \\u001b[2J: 0 s\x1b[K") || !strings.HasSuffix(text, "\r\x1b[K") {
			t.Errorf("%q, %v", text, err)
		}
		b.Reset()
		if err := Progress(&b, "reading", func() error { return nil }); err != nil || b.Len() > 0 {
			t.Errorf("%q, %v", b.String(), err)
		}
	})
}
