package rpc

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

func TestPutGoesWithoutCredentials(t *testing.T) {
	server := standin.Serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n > 0 {
			w.WriteHeader(http.StatusForbidden)
		}
	})
	client, _ := dial(t, Config{Address: server.URL, GRPC: true, BearerToken: "secret"})
	put := func() error {
		return client.Put(t.Context(), server.URL+"/file?signature=abc", strings.NewReader("content"), 7)
	}
	if err := put(); err != nil {
		t.Fatal(err)
	}
	got := server.Calls()[0]
	if got.Method != http.MethodPut || got.Length != 7 || string(got.Body) != "content" || got.Header.Get("Authorization") != "" {
		t.Errorf("%+v", got)
	}
	err := put()
	var f *delivery.Failure
	if !errors.As(err, &f) || f.Verdict != delivery.Refused {
		t.Errorf("403: %v", err)
	}
}

func TestErrorOfAPutDoesNotRepeatTheURL(t *testing.T) {
	client, _ := dial(t, Config{Address: "http://localhost"})
	for _, to := range []string{"http://127.0.0.1:1/file?signature=abc", "http://a b/?signature=abc", "gopher://h/?signature=abc"} {
		err := client.Put(t.Context(), to, strings.NewReader(""), 0)
		if err == nil || strings.Contains(err.Error(), "abc") {
			t.Errorf("%s: %v", to, err)
		}
	}
}
