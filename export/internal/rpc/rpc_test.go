package rpc

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

const procedure = "/test.Service/Method"

type method = Method[wrapperspb.StringValue, wrapperspb.StringValue]

func dial(t *testing.T, c Config) (*Client, *method) {
	t.Helper()
	client, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client, NewMethod[wrapperspb.StringValue, wrapperspb.StringValue](client, procedure)
}

// call makes one call, whose failure it returns.
func call(t *testing.T, m *method) *delivery.Failure {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	_, err := m.Call(ctx, wrapperspb.String("hello"))
	if err == nil {
		return nil
	}
	var f *delivery.Failure
	if !errors.As(err, &f) {
		t.Fatalf("%T is no Failure: %v", err, err)
	}
	return f
}

func TestCallArrivesAsItWasMade(t *testing.T) {
	for about, c := range map[string]struct {
		grpc   bool
		proto  string
		answer func(int, http.ResponseWriter, *http.Request)
		text   func(t *testing.T, body []byte) []byte
	}{
		"Connect": {false, "HTTP/1.1", func(_ int, w http.ResponseWriter, _ *http.Request) { standin.Connect(w) },
			func(_ *testing.T, body []byte) []byte { return body }},
		"gRPC": {true, "HTTP/2.0", func(_ int, w http.ResponseWriter, _ *http.Request) { standin.GRPC(w, nil) },
			func(t *testing.T, body []byte) []byte { return standin.Frames(t, body)[0] }},
	} {
		t.Run(about, func(t *testing.T) {
			server := standin.Serve(t, c.answer)
			_, m := dial(t, Config{Address: server.URL + "/under/", GRPC: c.grpc, Header: http.Header{"x-further": {"one", "two"}}})
			if f := call(t, m); f != nil {
				t.Fatal(f)
			}
			got := server.Calls()[0]
			if got.Path != "/under"+procedure || got.Proto != c.proto || len(got.Header["X-Further"]) != 2 {
				t.Errorf("%s %s with %v", got.Proto, got.Path, got.Header)
			}
			if text := standin.Decode(t, c.text(t, got.Body)).Text(1); text != "hello" {
				t.Errorf("the message is %q", text)
			}
		})
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	other := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { standin.Connect(w) })
	server := standin.Serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	_, m := dial(t, Config{Address: server.URL, BearerToken: "secret"})
	if f := call(t, m); f == nil || f.Verdict != delivery.Refused {
		t.Errorf("a redirect is %v", f)
	}
	if n := len(other.Calls()); n != 0 {
		t.Errorf("the other server was called %d times", n)
	}
}

func TestCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for about, c := range map[string]struct {
		config Config
		want   string
	}{
		"none":                 {Config{}, ""},
		"basic authentication": {Config{User: "Aladdin", Password: "open sesame"}, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
		"a token":              {Config{BearerToken: "secret"}, "Bearer secret"},
		"a token in a file":    {Config{BearerTokenFile: file}, "Bearer from-file"},
	} {
		t.Run(about, func(t *testing.T) {
			server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { standin.Connect(w) })
			c.config.Address = server.URL
			_, m := dial(t, c.config)
			if f := call(t, m); f != nil {
				t.Fatal(f)
			}
			if got := server.Calls()[0].Header.Get("Authorization"); got != c.want {
				t.Errorf("Authorization is %q, want %q", got, c.want)
			}
		})
	}
}

func TestTokenFileIsReadForEachCall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { standin.Connect(w) })
	_, m := dial(t, Config{Address: server.URL, BearerTokenFile: file})
	if f := call(t, m); f == nil || f.Verdict != delivery.Later {
		t.Errorf("without the file: %v", f)
	}
	for _, token := range []string{"one", "two"} {
		if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
		if f := call(t, m); f != nil {
			t.Fatal(f)
		}
	}
	calls := server.Calls()
	for i, want := range []string{"Bearer one", "Bearer two"} {
		if got := calls[i].Header.Get("Authorization"); got != want {
			t.Errorf("call %d has %q", i, got)
		}
	}
	if err := os.WriteFile(file, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := call(t, m); f == nil || len(server.Calls()) != 2 {
		t.Error("a call was made with an empty token")
	}
}

func TestConfigThatMakesNoSenseIsAnError(t *testing.T) {
	for _, c := range []Config{
		{Address: ""},
		{Address: "localhost:4040"},
		{Address: "ftp://localhost"},
		{Address: "http://"},
		{Address: "http://user:password@localhost"},
		{Address: "http://localhost?a=b"},
		{Address: "http://localhost:port"},
		{Address: "http://localhost", User: "u", BearerToken: "t"},
		{Address: "http://localhost", BearerToken: "t", BearerTokenFile: "f"},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
