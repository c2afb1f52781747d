package parca_test

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
	"github.com/cgoheap/cgoheap/export/parca"
	"github.com/cgoheap/cgoheap/internal/check"
)

func start(t *testing.T, p export.Profiler, c parca.Config) *export.Exporter {
	t.Helper()
	to, err := parca.New(c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := export.Start(p, to, export.Config{Interval: 20 * time.Millisecond, QueueBatches: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop() })
	return e
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not yet: %s", what)
		}
	}
}

func accept(_ int, w http.ResponseWriter, _ *http.Request) { standin.GRPC(w, nil) }

// writeRaw is the content of one call.
type writeRaw struct {
	labels           map[string]string
	inuse, allocated *profile.Profile
}

func decode(t *testing.T, c standin.Call) writeRaw {
	t.Helper()
	if c.Path != "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw" || c.Proto != "HTTP/2.0" || !strings.HasPrefix(c.Header.Get("Content-Type"), "application/grpc") {
		t.Fatalf("%s %s with %v", c.Proto, c.Path, c.Header)
	}
	request := standin.Decode(t, standin.Frames(t, c.Body)[0])
	series := request.Messages(t, 2)
	if len(series) != 1 || len(series[0].Messages(t, 2)) != 2 || request.Number(3) != 1 {
		t.Fatalf("not two normalized profiles in one series: %v", request)
	}
	w := writeRaw{labels: standin.Pairs(series[0].Messages(t, 1)[0].Messages(t, 1))}
	for i, to := range []**profile.Profile{&w.inuse, &w.allocated} {
		data := []byte(series[0].Messages(t, 2)[i].Text(1))
		checkFaults(t, data)
		p, err := profile.ParseData(data)
		if err == nil {
			err = p.CheckValid()
		}
		if err != nil {
			t.Fatal(err)
		}
		*to = p
	}
	return w
}

func checkFaults(t *testing.T, data []byte) {
	t.Helper()
	faults, err := check.Profile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if f.Severity == check.Error {
			t.Error(f)
		}
	}
}

func columns(p *profile.Profile) string {
	var names []string
	for _, st := range p.SampleType {
		names = append(names, st.Type+":"+st.Unit)
	}
	return strings.Join(names, " ")
}

func total(p *profile.Profile, column int) (sum int64) {
	for _, s := range p.Sample {
		sum += s.Value[column]
	}
	return sum
}

func TestWriteRawIsWhatIsInUseAndADelta(t *testing.T) {
	before := time.Now()
	server := standin.Serve(t, accept)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := start(t, &standin.Profiler{}, parca.Config{
		Address: server.URL, Labels: map[string]string{"job": "shop", "region": "eu"}, BearerTokenFile: token,
		Header: http.Header{"Projectid": {"p-1"}},
	})
	await(t, "three profiles", func() bool { return len(server.Calls()) >= 3 })
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	for i, c := range server.Calls() {
		if c.Header.Get("Authorization") != "Bearer secret" || c.Header.Get("Projectid") != "p-1" {
			t.Errorf("headers: %v", c.Header)
		}
		got := decode(t, c)
		want := map[string]string{"__name__": "memory", "job": "shop", "region": "eu"}
		if diff := cmp.Diff(want, got.labels); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		if columns(got.inuse) != "inuse_objects:count inuse_space:bytes" || got.inuse.DurationNanos != 0 || total(got.inuse, 1) != standin.InUseBytes {
			t.Errorf("in use: %v", got.inuse)
		}
		if columns(got.allocated) != "alloc_objects:count alloc_space:bytes" || got.allocated.DurationNanos == 0 || total(got.allocated, 0) != int64(i+1) {
			t.Errorf("allocated: %v", got.allocated)
		}
		if got.inuse.TimeNanos != got.allocated.TimeNanos || time.Unix(0, got.inuse.TimeNanos).Before(before.Add(-time.Second)) {
			t.Errorf("times %d and %d", got.inuse.TimeNanos, got.allocated.TimeNanos)
		}
	}
}

func TestTLSAndToken(t *testing.T) {
	server := standin.ServeTLS(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			standin.GRPCError(w, 16, "invalid token")
			return
		}
		standin.GRPC(w, nil)
	})
	roots := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	config := parca.Config{Address: server.URL, BearerToken: "right", TLS: &tls.Config{RootCAs: roots}}
	right := start(t, &standin.Profiler{}, config)
	await(t, "a profile", func() bool { return right.Stats().Value("export_pushed") > 0 })
	if got := decode(t, server.Calls()[0]).labels["job"]; got != "parca.test" {
		t.Errorf("the label job is %q", got)
	}
	config.BearerToken = "wrong"
	wrong := start(t, &standin.Profiler{}, config)
	await(t, "a refusal", func() bool { return wrong.Stats().Value("export_refused") > 0 })
	if s := wrong.Stats(); s.Value("export_pushed") != 0 || !strings.Contains(s.String(), "unauthenticated: invalid token") {
		t.Error(s)
	}
}

func TestNothingIsLostWhileTheServerRestarts(t *testing.T) {
	first := standin.Serve(t, accept)
	address := first.Listener.Addr().String()
	p := &standin.Profiler{}
	e := start(t, p, parca.Config{Address: first.URL})
	await(t, "five profiles", func() bool { return len(first.Calls()) >= 5 })
	first.CloseClientConnections()
	first.Close()
	await(t, "a failure", func() bool { return e.Stats().Value("export_retried") > 0 })
	second := standin.ServeAt(t, address, accept)
	defer second.Close()
	await(t, "an empty queue", func() bool { return e.Stats().Value("export_queue") == 0 })
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	next := int64(1)
	for _, c := range append(first.Calls(), second.Calls()...) {
		n := total(decode(t, c).allocated, 0)
		if n != next && n != next-1 { // one whose answer was lost comes again
			t.Fatalf("profile %d arrived, want %d", n, next)
		}
		next = n + 1
	}
	if next != int64(p.Written())+1 {
		t.Errorf("%d profiles arrived of %d", next-1, p.Written())
	}
}

func TestOnlyARecoveredProfileHasTheLabel(t *testing.T) {
	server := standin.Serve(t, accept)
	to, err := parca.New(parca.Config{Address: server.URL, Labels: map[string]string{"job": "shop"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*delivery.Batch{{}, {Recovered: &delivery.Recovered{}}, {}} {
		if err := to.Send(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	for i, value := range []string{"", "true", ""} {
		series := standin.Decode(t, standin.Frames(t, server.Calls()[i].Body)[0]).Messages(t, 2)
		got := standin.Pairs(series[0].Messages(t, 1)[0].Messages(t, 1))
		if got["recovered"] != value || got["job"] != "shop" || got["__name__"] != "memory" {
			t.Errorf("call %d: %v", i, got)
		}
	}
}

func TestConfigThatMakesNoSenseIsAnError(t *testing.T) {
	for _, c := range []parca.Config{
		{},
		{Address: "localhost:7070"},
		{Address: "http://localhost", ProfileName: "a-b"},
		{Address: "http://localhost", Labels: map[string]string{"a-b": "c"}},
	} {
		if _, err := parca.New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
