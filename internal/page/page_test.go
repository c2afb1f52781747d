package page

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func ask(name string, headers map[string]string) *httptest.ResponseRecorder {
	answer, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
	for k, v := range headers {
		request.Header.Set(k, v)
	}
	ServeFile(answer, request, name)
	return answer
}

func TestFilesAreGuarded(t *testing.T) {
	for name := range assets() {
		plain, packed := ask(name, nil), ask(name, map[string]string{"Accept-Encoding": "br, gzip"})
		z, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(name, err)
		}
		unpacked, err := io.ReadAll(z)
		if err != nil || string(unpacked) != plain.Body.String() || len(unpacked) == 0 {
			t.Errorf("%s: %v, %d bytes", name, err, len(unpacked))
		}
		h := plain.Header()
		if h.Get("Content-Security-Policy") != policy || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", name, h)
		}
		if again := ask(name, map[string]string{"If-None-Match": h.Get("ETag")}); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s again: %d", name, again.Code)
		}
	}
	if answer := ask("../files.go", nil); answer.Code != http.StatusNotFound {
		t.Error(answer.Code)
	}
}

// The policy would stop them, and a browser would show less than it should.
func TestThePageHasNothingInlineAndNothingFromElsewhere(t *testing.T) {
	wrong := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|https?://|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(`)
	const namespace = "http://www.w3.org/2000/svg" // a name, which nobody asks for
	for name, a := range assets() {
		if strings.HasPrefix(name, "uPlot") {
			continue
		}
		if found := wrong.FindString(strings.ReplaceAll(string(a.plain), namespace, "")); found != "" {
			t.Errorf("%s has %q", name, found)
		}
	}
	for _, script := range regexp.MustCompile(`<script[^>]*>[^<]*`).FindAllString(string(assets()[index].plain), -1) {
		if !strings.HasSuffix(script, ">") || !strings.Contains(script, " src=") {
			t.Error(script)
		}
	}
}

// docs/decisions says how small it is.
func TestThePageIsSmall(t *testing.T) {
	var plain, packed int
	for _, a := range assets() {
		plain, packed = plain+len(a.plain), packed+len(a.packed)
	}
	t.Logf("%d files, %d bytes, %d gzipped", len(assets()), plain, packed)
	if packed > 48<<10 {
		t.Error("more than 48 KiB")
	}
}

func TestFromHere(t *testing.T) {
	for _, c := range []struct {
		headers map[string]string
		allowed bool
	}{
		{nil, false},
		{map[string]string{Header: "1"}, true},
		{map[string]string{Header: "1", "Origin": "http://example.com", "Sec-Fetch-Site": "same-origin"}, true},
		{map[string]string{Header: "1", "Origin": "https://evil.test"}, false},
		{map[string]string{Header: "1", "Origin": "null"}, false},
		{map[string]string{Header: "1", "Sec-Fetch-Site": "cross-site"}, false},
		{map[string]string{Header: "1", "Sec-Fetch-Site": "same-site"}, false},
		{map[string]string{"Origin": "http://example.com", "Sec-Fetch-Site": "same-origin"}, false},
	} {
		request := httptest.NewRequest(http.MethodPost, "http://example.com/", nil)
		for k, v := range c.headers {
			request.Header.Set(k, v)
		}
		if err := FromHere(request); (err == nil) != c.allowed {
			t.Errorf("%v: %v", c.headers, err)
		}
	}
}

func TestJSONIsPackedWhereThatIsAccepted(t *testing.T) {
	for accepted, packed := range map[string]bool{"": false, "gzip": true, "gzip;q=0": false, "deflate, gzip;q=0.5": true, "gzip; q=0": false} {
		answer, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		request.Header.Set("Accept-Encoding", accepted)
		if err := WriteJSON(answer, request, []string{"<script>"}); err != nil {
			t.Fatal(err)
		}
		var body io.Reader = answer.Body
		if packed {
			z, err := gzip.NewReader(answer.Body)
			if err != nil {
				t.Fatal(accepted, err)
			}
			body = z
		}
		var got []string
		if err := json.NewDecoder(body).Decode(&got); err != nil || got[0] != "<script>" {
			t.Error(accepted, err, got)
		}
	}
}
