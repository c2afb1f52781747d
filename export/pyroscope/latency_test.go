package pyroscope_test

import (
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/standin"
	"github.com/cgoheap/cgoheap/export/pyroscope"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// BenchmarkHost measures a request to the host while profiles of 2000 samples are exported every 200 ms, 75 times as often
// as usual, in proportion to what it costs without: with a server that takes them, one that is away and one that hangs.
// Writing the profiles is the stand-in's and so not the profiler's cost, but work on the same cores.
func BenchmarkHost(b *testing.B) {
	server := standin.Serve(b, accept)
	release := make(chan struct{})
	hanging := standin.Serve(b, func(int, http.ResponseWriter, *http.Request) { <-release })
	b.Cleanup(func() { close(release) })
	modes := []struct{ name, address string }{
		{"none", ""}, {"there", server.URL}, {"away", "http://" + toolchain.Loopback(toolchain.FreePort(b))}, {"hanging", hanging.URL},
	}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sum := sha256.Sum256(make([]byte, 32<<10))
		_, _ = w.Write(sum[:])
	}))
	defer host.Close()
	took := make([][]time.Duration, len(modes))
	for b.Loop() {
		for i, m := range modes {
			stop := exportTo(b, m.address)
			for range 500 {
				took[i] = append(took[i], request(b, host))
			}
			stop()
		}
	}
	for i, m := range modes {
		slices.Sort(took[i])
		for _, q := range []struct {
			name string
			at   float64
		}{{"p50", 0.5}, {"p99", 0.99}} {
			at := int(q.at * float64(len(took[i])))
			b.ReportMetric(float64(took[i][at])/float64(took[0][at]), m.name+"/none-"+q.name)
		}
	}
}

func exportTo(b *testing.B, address string) (stop func()) {
	b.Helper()
	if address == "" {
		return func() {}
	}
	to, err := pyroscope.New(pyroscope.Config{Address: address})
	if err != nil {
		b.Fatal(err)
	}
	e, err := export.Start(&standin.Profiler{Filler: 2000}, to, export.Config{
		Interval: 200 * time.Millisecond, StopWithin: 100 * time.Millisecond,
	})
	if err != nil {
		b.Fatal(err)
	}
	return func() { _ = e.Stop() }
}

func request(b *testing.B, host *httptest.Server) time.Duration {
	b.Helper()
	began := time.Now()
	response, err := host.Client().Get(host.URL)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}
