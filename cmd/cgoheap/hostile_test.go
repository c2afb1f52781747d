package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packed returns a text gzipped.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	if _, err := fmt.Fprint(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// 40 KB are 40 MB of samples.
func TestASmallFileOfAHugeProfileIsRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bomb.pb.gz")
	if err := os.WriteFile(name, packed(t, strings.Repeat("\x12\x00", 20<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"check", name}, {"top", name}, {"view", "-no-browser", name}, {"diff", name, name}} {
		code, _, trouble := ranWith(t, "", arguments...)
		if code != exitUnreadable || !strings.Contains(trouble, "it has more than") {
			t.Errorf("%q: exit code %d, %q", arguments, code, trouble)
		}
	}
}

// A file that is no box is named, once.
func TestAFileThatIsNoBoxIsNamed(t *testing.T) {
	for content, want := range map[string]string{"": "nothing is recorded in it", strings.Repeat("x", 1<<16): "it is not a black box"} {
		name := filepath.Join(t.TempDir(), "cgoheap.server.host.1.a.box")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, arguments := range [][]string{{"top"}, {"view", "-no-browser"}, {"dump", "-o", "-"}, {"diff", name}, {"recover"}} {
			code, _, trouble := ranWith(t, "", append(arguments, name)...)
			if code != exitUnreadable || !strings.Contains(trouble, want) || strings.Count(trouble, name) != 1 {
				t.Errorf("%q: exit code %d, %q", arguments, code, trouble)
			}
		}
	}
}

// A page may be longer than it should be, have more values, or be packed: the client unpacks it.
func TestAnswersAreBounded(t *testing.T) {
	for about, c := range map[string]struct{ answer, want string }{
		"long":   {`{"notes":["` + strings.Repeat("x", mostAnswer) + `"]}`, "is longer than"},
		"values": {`{"lines":[` + strings.Repeat("{},", mostCommas+1) + `{}]}`, "has more values"},
	} {
		for _, packs := range []bool{false, true} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				body := []byte(c.answer)
				if packs {
					w.Header().Set("Content-Encoding", "gzip")
					body = packed(t, c.answer)
				}
				_, _ = w.Write(body)
			}))
			if code, _, trouble := ranWith(t, "", "top", server.URL); code != exitUnreadable || !strings.Contains(trouble, c.want) {
				t.Errorf("%s: exit code %d, %q", about, code, trouble)
			}
			server.Close()
		}
	}
}
