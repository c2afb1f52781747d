package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestNothingThatATerminalObeysIsLeft(t *testing.T) {
	for text, want := range map[string]string{
		"std::map<int, char>":      "std::map<int, char>",
		"größe µ ± 日本":             "größe µ ± 日本",
		"\x1b[31mred":              `\u001b[31mred`,
		"\x1b]0;title\a":           `\u001b]0;title\u0007`,
		"a\r\nb\tc":                `a\u000d\u000ab\u0009c`,
		"\u009b2J":                 `\u009b2J`,
		"\x9b2J":                   `\ufffd2J`,
		"\x7f\x00":                 `\u007f\u0000`,
		"\u202egnp.exe":            `\u202egnp.exe`,
		"\u2066\u200b\ufeff\u2028": `\u2066\u200b\ufeff\u2028`,
		"\U000e0041":               `\udb40\udc41`,
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestWriterKeepsLinesAndJSON(t *testing.T) {
	var b strings.Builder
	text, err := json.Marshal("\x1b\u009b\u202e\U000e0041\x7f")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := (Writer{&b}).Write(append(text, "\n\t"...)); n != len(text)+2 || err != nil {
		t.Error(n, err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u009b\u202e\U000e0041\x7f") || !strings.HasSuffix(b.String(), "\n\t") {
		t.Errorf("%q", b.String())
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != "\x1b\u009b\u202e\U000e0041\x7f" {
		t.Errorf("%q, %v", back, err)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[31m\x9b\u202e")
	f.Fuzz(func(t *testing.T, text string) {
		plain := Plain(text)
		if strings.ContainsFunc(plain, hidden) || Plain(plain) != plain {
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
	var b strings.Builder
	err := progress(&b, "reading \x1b[2J", time.Millisecond, func() error { time.Sleep(50 * time.Millisecond); return nil })
	if text := b.String(); err != nil || !strings.HasPrefix(text, "\rreading \\u001b[2J: 0 s\x1b[K") || !strings.HasSuffix(text, "\r\x1b[K") {
		t.Errorf("%q, %v", text, err)
	}
	b.Reset()
	if err := Progress(&b, "reading", func() error { return nil }); err != nil || b.Len() > 0 {
		t.Errorf("%q, %v", b.String(), err)
	}
}
