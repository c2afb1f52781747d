package rpc

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

func TestPostArrivesAsItWasMade(t *testing.T) {
	server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thanks") })
	client, _ := dial(t, Config{Address: server.URL + "/under/", BearerToken: "secret", Header: http.Header{"X-Further": {"yes"}}})
	body := strings.Repeat("profile ", 100)
	answer, err := client.Post(t.Context(), "/path", "text/x-test", []byte(body))
	if err != nil || string(answer) != "thanks" {
		t.Fatalf("%q, %v", answer, err)
	}
	got := server.Calls()[0]
	if got.Method != http.MethodPost || got.Path != "/under/path" || got.Header.Get("Content-Type") != "text/x-test" ||
		got.Header.Get("Authorization") != "Bearer secret" || got.Header.Get("X-Further") != "yes" {
		t.Errorf("%s %s with %v", got.Method, got.Path, got.Header)
	}
	if text := unzipped(t, got.Body); got.Header.Get("Content-Encoding") != "gzip" || text != body {
		t.Errorf("%v, the body is %q", got.Header, text)
	}
}

func unzipped(t *testing.T, data []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// post makes one, whose failure it returns.
func post(t *testing.T, c *Client) *delivery.Failure {
	t.Helper()
	_, err := c.Post(t.Context(), "/", "text/plain", nil)
	var f *delivery.Failure
	if !errors.As(err, &f) {
		t.Fatalf("%v is no Failure", err)
	}
	return f
}

func TestAnswersToAPost(t *testing.T) {
	message := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 14)
	message = protowire.AppendString(protowire.AppendTag(message, 2, protowire.BytesType), "queue\nis full")
	for about, c := range map[string]struct {
		status      int
		contentType string
		body        []byte
		want        delivery.Failure
		reason      string
	}{
		"text": {http.StatusBadRequest, "text/plain", []byte("no\x00good\n"), delivery.Failure{Verdict: delivery.Refused},
			"400 Bad Request: no good"},
		"a message": {http.StatusServiceUnavailable, "application/x-protobuf", message,
			delivery.Failure{Verdict: delivery.Later, RetryAfter: 17 * time.Second}, "503 Service Unavailable: queue is full"},
		"a damaged message": {http.StatusTooManyRequests, "application/x-protobuf", message[:5],
			delivery.Failure{Verdict: delivery.Later, RetryAfter: 17 * time.Second}, "429 Too Many Requests"},
		"nothing":    {http.StatusInternalServerError, "", nil, delivery.Failure{Verdict: delivery.Doubtful}, "500 Internal Server Error"},
		"a redirect": {http.StatusTemporaryRedirect, "", nil, delivery.Failure{Verdict: delivery.Refused}, "307 Temporary Redirect"},
	} {
		t.Run(about, func(t *testing.T) {
			server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				w.Header().Set("Location", "/elsewhere")
				if c.want.RetryAfter > 0 {
					w.Header().Set("Retry-After", "17")
				}
				w.WriteHeader(c.status)
				_, _ = w.Write(c.body)
			})
			client, _ := dial(t, Config{Address: server.URL})
			f := post(t, client)
			if f.Verdict != c.want.Verdict || f.RetryAfter != c.want.RetryAfter || f.Error() != c.reason {
				t.Errorf("%+v %q, want %+v %q", f, f, c.want, c.reason)
			}
			if n := len(server.Calls()); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

func TestPostWithoutAnAnswerIsMadeAgain(t *testing.T) {
	server := standin.Serve(t, func(int, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for about, c := range map[string]Config{
		"broken off":       {Address: server.URL},
		"not there":        {Address: "http://127.0.0.1:1"},
		"no file of token": {Address: server.URL, BearerTokenFile: "/nonexistent"},
	} {
		client, _ := dial(t, c)
		if f := post(t, client); f.Verdict != delivery.Later {
			t.Errorf("%s: %+v", about, f)
		}
	}
}

func FuzzMessageOf(f *testing.F) {
	f.Add([]byte("\x08\x0e\x12\x03abc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if text := messageOf(data); len(text) > len(data) {
			t.Errorf("%q of %q", text, data)
		}
	})
}
