package rpc

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

func TestTLSWithAKnownAuthority(t *testing.T) {
	for _, grpc := range []bool{false, true} {
		server := standin.ServeTLS(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			if grpc {
				standin.GRPC(w, nil)
			} else {
				standin.Connect(w)
			}
		})
		roots := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		_, m := dial(t, Config{Address: server.URL, GRPC: grpc, TLS: &tls.Config{RootCAs: roots}})
		if f := call(t, m); f != nil {
			t.Fatal(f)
		}
		if got := server.Calls()[0].Proto; got != "HTTP/2.0" {
			t.Errorf("gRPC %v: %s", grpc, got)
		}
	}
}

func TestTLSWithAnUnknownAuthority(t *testing.T) {
	server := standin.ServeTLS(t, func(int, http.ResponseWriter, *http.Request) {})
	for _, grpc := range []bool{false, true} {
		_, m := dial(t, Config{Address: server.URL, GRPC: grpc, BearerToken: "secret"})
		f := call(t, m)
		if f == nil || f.Verdict != delivery.Later || !strings.Contains(f.Error(), "certificate signed by unknown authority") {
			t.Errorf("gRPC %v: %v", grpc, f)
		}
	}
	if n := len(server.Calls()); n != 0 {
		t.Errorf("%d calls arrived", n)
	}
}

func TestPlainServerWhereTLSIsExpected(t *testing.T) {
	server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { standin.Connect(w) })
	_, m := dial(t, Config{Address: strings.Replace(server.URL, "http:", "https:", 1)})
	if f := call(t, m); f == nil || f.Verdict != delivery.Later {
		t.Errorf("%+v", f)
	}
}

func TestProxyIsUsed(t *testing.T) {
	proxy := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { standin.Connect(w) })
	to, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, m := dial(t, Config{Address: "http://pyroscope.invalid:4040", Proxy: http.ProxyURL(to)})
	if f := call(t, m); f != nil {
		t.Fatal(f)
	}
	if n := len(proxy.Calls()); n != 1 {
		t.Errorf("the proxy was called %d times", n)
	}
}
