package rpc

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"connectrpc.com/connect"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func TestVerdictOfAStatus(t *testing.T) {
	for status, want := range map[int]delivery.Verdict{
		301: delivery.Refused,
		400: delivery.Refused,
		401: delivery.Refused,
		403: delivery.Refused,
		404: delivery.Refused,
		408: delivery.Later,
		409: delivery.Refused,
		413: delivery.Refused,
		422: delivery.Refused,
		429: delivery.Later,
		500: delivery.Doubtful,
		501: delivery.Doubtful,
		502: delivery.Later,
		503: delivery.Later,
		504: delivery.Later,
		599: delivery.Doubtful,
	} {
		for _, grpc := range []bool{false, true} {
			server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "because so", status)
			})
			_, m := dial(t, Config{Address: server.URL, GRPC: grpc})
			f := call(t, m)
			if f == nil || f.Verdict != want || !strings.HasPrefix(f.Error(), strconv.Itoa(status)+" ") {
				t.Errorf("%d with gRPC %v: %+v, want %v", status, grpc, f, want)
			}
		}
	}
}

func TestReasonOfAConnectServerIsKept(t *testing.T) {
	server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "17")
		standin.ConnectError(w, http.StatusTooManyRequests, "resource_exhausted", "limit of 4 MB/s reached")
	})
	_, m := dial(t, Config{Address: server.URL})
	f := call(t, m)
	if f == nil || f.Verdict != delivery.Later || f.RetryAfter != 17*time.Second {
		t.Fatalf("%+v", f)
	}
	if want := "429 Too Many Requests: resource_exhausted: limit of 4 MB/s reached"; f.Error() != want {
		t.Errorf("%q, want %q", f, want)
	}
}

func TestVerdictOfAGRPCCode(t *testing.T) {
	for code, want := range map[connect.Code]delivery.Verdict{
		connect.CodeCanceled:           delivery.Later,
		connect.CodeUnknown:            delivery.Doubtful,
		connect.CodeInvalidArgument:    delivery.Refused,
		connect.CodeDeadlineExceeded:   delivery.Later,
		connect.CodeNotFound:           delivery.Refused,
		connect.CodeAlreadyExists:      delivery.Refused,
		connect.CodePermissionDenied:   delivery.Refused,
		connect.CodeResourceExhausted:  delivery.Doubtful,
		connect.CodeFailedPrecondition: delivery.Refused,
		connect.CodeAborted:            delivery.Later,
		connect.CodeOutOfRange:         delivery.Refused,
		connect.CodeUnimplemented:      delivery.Refused,
		connect.CodeInternal:           delivery.Doubtful,
		connect.CodeUnavailable:        delivery.Later,
		connect.CodeDataLoss:           delivery.Doubtful,
		connect.CodeUnauthenticated:    delivery.Refused,
	} {
		server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			standin.GRPCError(w, int(code), "because so")
		})
		_, m := dial(t, Config{Address: server.URL, GRPC: true})
		f := call(t, m)
		if f == nil || f.Verdict != want || f.Error() != code.String()+": because so" {
			t.Errorf("%v: %+v, want %v", code, f, want)
		}
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	url := "http://" + toolchain.Loopback(toolchain.FreePort(t))
	for _, grpc := range []bool{false, true} {
		_, m := dial(t, Config{Address: url, GRPC: grpc})
		if f := call(t, m); f == nil || f.Verdict != delivery.Later || !strings.Contains(f.Error(), "connection refused") {
			t.Errorf("gRPC %v: %+v", grpc, f)
		}
	}
}

func TestServerThatBreaksOff(t *testing.T) {
	server := standin.Serve(t, func(int, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for _, grpc := range []bool{false, true} {
		_, m := dial(t, Config{Address: server.URL, GRPC: grpc})
		if f := call(t, m); f == nil || f.Verdict == delivery.Refused {
			t.Errorf("gRPC %v: %+v", grpc, f)
		}
	}
}

func TestServerThatSpeaksSomethingElse(t *testing.T) {
	server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<h1>Welcome</h1>"))
	})
	for _, grpc := range []bool{false, true} {
		_, m := dial(t, Config{Address: server.URL, GRPC: grpc})
		if f := call(t, m); f == nil {
			t.Errorf("gRPC %v: a web page is taken for an answer", grpc)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"120":                           2 * time.Minute,
		"-5":                            0,
		"99999999999999999999":          0,
		"soon":                          0,
		"Fri, 02 Jan 2026 03:05:05 GMT": time.Minute,
		"Fri, 02 Jan 2025 03:05:05 GMT": 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\x00b\xffc\n\td\u202e")
	f.Fuzz(func(t *testing.T, text string) {
		got := line(text)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > mostReasonRunes+3 || strings.ContainsAny(got, "\n\r\x00\x1b") {
			t.Errorf("%q", got)
		}
	})
}
