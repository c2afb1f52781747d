package plain

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
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
		if got := Text(text); got != want {
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
	if n, err := (&Writer{To: &b}).Write(append(text, "\n\t"...)); n != len(text)+2 || err != nil {
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

func TestACharacterThatTwoCallsShareIsWhole(t *testing.T) {
	for _, text := range []string{"größe 日本 \U0001f600 µ\n", "\xe6\x97\n", "\xff\xf0\x9f\n"} {
		var b strings.Builder
		w := &Writer{To: &b}
		for i := range len(text) {
			if n, err := w.Write([]byte{text[i]}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		if b.String() != Lines(text) {
			t.Errorf("%q becomes %q, want %q", text, b.String(), Lines(text))
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("\x1b[31m\x9b\u202e\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, change := range []func(string) string{Text, Lines} {
			if got := change(text); strings.ContainsFunc(strings.NewReplacer("\n", "", "\t", "").Replace(got), hidden) || change(got) != got || !utf8.ValidString(got) {
				t.Errorf("%q becomes %q", text, got)
			}
		}
	})
}
