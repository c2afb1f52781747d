package standin

import (
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
)

// Call is one that a server was sent.
type Call struct {
	Path   string
	Method string
	Proto  string
	Header http.Header
	Length int64
	Body   []byte // messages of gRPC with their prefixes
}

// Server keeps the calls that it is sent.
type Server struct {
	*httptest.Server
	answer func(n int, w http.ResponseWriter, r *http.Request)

	mu    sync.Mutex
	calls []Call
}

// Serve starts a server that speaks HTTP/1.1 and 2, both without TLS. answer answers call n, from 0.
func Serve(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *Server {
	t.Helper()
	s := newServer(answer)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// ServeTLS starts one with a certificate that only its Client trusts.
func ServeTLS(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *Server {
	t.Helper()
	s := newServer(answer)
	s.Config.ErrorLog = nil
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// ServeAt starts one without TLS at an address, HOST:PORT. One that is to be free, and to stay the test's while no server is
// there, has a port of toolchain.FreePort. The caller closes it.
func ServeAt(t testing.TB, address string, answer func(n int, w http.ResponseWriter, r *http.Request)) *Server {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(answer)
	if err := s.Listener.Close(); err != nil {
		t.Fatal(err)
	}
	s.Listener = l
	s.Start()
	return s
}

func newServer(answer func(n int, w http.ResponseWriter, r *http.Request)) *Server {
	s := &Server{answer: answer}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	return s
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	n := len(s.calls)
	s.calls = append(s.calls, Call{r.URL.Path, r.Method, r.Proto, r.Header.Clone(), r.ContentLength, body})
	s.mu.Unlock()
	s.answer(n, w, r)
}

// Calls are the calls that have come in whole so far.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// Connect answers a unary call of the Connect protocol with an empty message.
func Connect(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/proto")
}

// ConnectError answers with an error, as connect's servers do.
func ConnectError(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"code":` + strconv.Quote(code) + `,"message":` + strconv.Quote(message) + `}`))
}

// GRPC answers a call of gRPC with one message.
func GRPC(w http.ResponseWriter, message []byte) {
	w.Header().Set("Content-Type", "application/grpc+proto")
	w.Header().Set("Trailer", "Grpc-Status")
	prefix := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	_, _ = w.Write(append(prefix, message...))
	w.Header().Set("Grpc-Status", "0")
}

// GRPCError answers with a code of gRPC.
func GRPCError(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/grpc+proto")
	w.Header().Set("Grpc-Status", strconv.Itoa(code))
	w.Header().Set("Grpc-Message", message)
}
