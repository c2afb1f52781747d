package servers

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A front is a reverse proxy before a server. A gate decides about each request.
type front struct {
	url       string
	authority string // the file of its certificate; "" without TLS
	gate      atomic.Pointer[gate]
	server    *httptest.Server
}

// gate answers a request and returns false, or lets it pass.
type gate func(w http.ResponseWriter, r *http.Request) (passes bool)

func open(http.ResponseWriter, *http.Request) bool { return true }

// startFront puts a proxy in front of a server, at a free port or at the given one.
func startFront(t *testing.T, behind *process, port int, secure bool) *front {
	t.Helper()
	listener, err := net.Listen("tcp", toolchain.Loopback(port))
	if err != nil {
		t.Fatal(err)
	}
	f := &front{}
	f.set(open)
	f.server = &httptest.Server{Listener: listener, Config: &http.Server{
		Handler:   f.passTo(t, behind),
		ErrorLog:  log.New(io.Discard, "", 0), // clients that go away, or reject the certificate
		Protocols: protocols(true, true),
	}}
	if secure {
		f.server.EnableHTTP2 = true
		f.server.StartTLS()
		f.authority = certificateFile(t, f.server)
	} else {
		f.server.Start()
	}
	f.url = f.server.URL
	t.Cleanup(f.stop)
	return f
}

func (f *front) set(g gate) { f.gate.Store(&g) }

// stop also ends the requests that hang.
func (f *front) stop() {
	f.server.CloseClientConnections()
	f.server.Close()
}

func (f *front) passTo(t *testing.T, behind *process) http.Handler {
	t.Helper()
	target, err := url.Parse(behind.url)
	if err != nil {
		t.Fatal(err)
	}
	gRPC := behind.name == "parca" // which is HTTP/2, here without TLS
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     &http.Transport{Protocols: protocols(!gRPC, gRPC)},
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if (*f.gate.Load())(w, r) {
			proxy.ServeHTTP(w, r)
		}
	})
}

func protocols(http1, http2 bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(http1)
	p.SetHTTP2(http2)
	p.SetUnencryptedHTTP2(http2)
	return p
}

func certificateFile(t *testing.T, server *httptest.Server) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "authority.pem")
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// wants is a gate that passes only requests with this header.
func wants(header, value string) gate {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get(header) != value {
			http.Error(w, fmt.Sprintf("nobody here has this %s", header), http.StatusUnauthorized)
			return false
		}
		return true
	}
}
