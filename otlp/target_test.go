package otlp

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
)

// profiler writes the same profile each time.
type profiler struct{ t *testing.T }

func (p profiler) Baseline() (*cgoheap.Baseline, error) { return &cgoheap.Baseline{}, nil }

func (p profiler) Write(w io.Writer, _ cgoheap.Selection) error {
	whole := whole()
	whole.SampleType[0].Type, whole.SampleType[1].Type = "alloc_space", "inuse_space"
	_, err := w.Write(moment(p.t, whole).Profiles[0])
	return err
}

// collector keeps the requests, and answers what a test wants.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   [][]byte
}

func startCollector(t *testing.T, answer func(n int, w http.ResponseWriter)) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		c.mu.Lock()
		n := len(c.requests)
		c.requests, c.bodies = append(c.requests, r), append(c.bodies, body)
		c.mu.Unlock()
		answer(n, w)
	}))
	c.Config.Protocols = new(http.Protocols)
	c.Config.Protocols.SetHTTP1(true)
	c.Config.Protocols.SetUnencryptedHTTP2(true)
	c.Start()
	t.Cleanup(c.Close)
	return c
}

// partial is an answer that says how many profiles were rejected, and why.
func partial(rejected uint64, message string) []byte {
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), rejected)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), message)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), b)
}

// frame is a message of gRPC.
func frame(message []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
}

func answerGRPC(w http.ResponseWriter, message []byte) {
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Trailer", "Grpc-Status")
	_, _ = w.Write(frame(message))
	w.Header().Set("Grpc-Status", "0")
}

// deliver runs an exporter until the first attempt has an outcome, which must be this counter's, and returns its counters.
func deliver(t *testing.T, c Config, counter string) cgoheap.Stats {
	t.Helper()
	to, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := export.Start(profiler{t}, to, export.Config{Interval: 20 * time.Millisecond, StopWithin: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	stats := e.Stats()
	for ; stats.Value("export_pushed")+stats.Value("export_refused")+stats.Value("export_retried") == 0; stats = e.Stats() {
		time.Sleep(5 * time.Millisecond)
	}
	if stats.Value(counter) == 0 {
		t.Errorf("%s is 0:\n%s", counter, stats)
	}
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	return stats
}

func unzipped(t *testing.T, body []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTheExporterDeliversToACollector(t *testing.T) {
	for about, c := range map[string]struct {
		config Config
		answer func(w http.ResponseWriter)
		path   string
		kind   string
		prefix int // before the message
	}{
		"OTLP/HTTP": {Config{}, func(http.ResponseWriter) {}, "/under/v1development/profiles", "application/x-protobuf", 0},
		"OTLP/gRPC": {Config{GRPC: true}, func(w http.ResponseWriter) { answerGRPC(w, nil) },
			"/under/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export", "application/grpc", 5},
	} {
		t.Run(about, func(t *testing.T) {
			server := startCollector(t, func(_ int, w http.ResponseWriter) { c.answer(w) })
			c.config.Address, c.config.BearerToken = server.URL+"/under", "secret"
			c.config.ServiceName, c.config.Attributes = "shop", map[string]string{"host.name": "here", "empty": ""}
			deliver(t, c.config, "export_pushed")
			r := server.requests[0]
			if r.Method != http.MethodPost || r.URL.Path != c.path || r.Header.Get("Content-Type") != c.kind ||
				r.Header.Get("Authorization") != "Bearer secret" {
				t.Errorf("%s %s with %v", r.Method, r.URL.Path, r.Header)
			}
			request := &profiles.ProfilesData{}
			if err := proto.Unmarshal(unzipped(t, server.bodies[0][c.prefix:]), request); err != nil {
				t.Fatal(err)
			}
			mustBeShops(t, request)
		})
	}
}

func mustBeShops(t *testing.T, request *profiles.ProfilesData) {
	t.Helper()
	var kinds []string
	reading := &reader{t, request.Dictionary}
	for _, p := range profilesOf(t, request) {
		kinds = append(kinds, reading.valueType(p.SampleType))
		if is, want := p.DurationNano > 0, strings.HasPrefix(kinds[len(kinds)-1], "alloc"); is != want {
			t.Errorf("%s with a duration: %v", kinds[len(kinds)-1], is)
		}
	}
	if diff := cmp.Diff([]string{"inuse_space:bytes", "alloc_space:count"}, kinds); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	mustHaveAttributes(t, request, map[string]string{"service.name": `"shop"`, "host.name": `"here"`})
	if url := request.ResourceProfiles[0].SchemaUrl; url != "https://opentelemetry.io/schemas/1.39.0" {
		t.Error(url)
	}
}

func mustHaveAttributes(t *testing.T, request *profiles.ProfilesData, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, a := range request.ResourceProfiles[0].Resource.Attributes {
		got[a.Key] = valueText(a.Value)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resource (-want +got):\n%s", diff)
	}
}

func TestAnswersAndHowTheyAreCounted(t *testing.T) {
	for about, c := range map[string]struct {
		grpc            bool
		answer          func(w http.ResponseWriter) // to the first request
		counter, reason string
	}{
		"a partial success": {false, func(w http.ResponseWriter) { _, _ = w.Write(partial(2, "no \x00such type")) },
			"export_refused", `the collector rejected 2 of the profiles: "no \x00such type"`},
		"a partial success of gRPC": {true, func(w http.ResponseWriter) { answerGRPC(w, partial(1, "too old")) },
			"export_refused", `rejected 1 of the profiles: "too old"`},
		"a warning":    {false, func(w http.ResponseWriter) { _, _ = w.Write(partial(0, "deprecated")) }, "export_pushed", ""},
		"no message":   {false, func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>") }, "export_refused", "not a message of OTLP"},
		"400":          {false, func(w http.ResponseWriter) { http.Error(w, "bad", http.StatusBadRequest) }, "export_refused", "400 Bad Request: bad"},
		"500":          {false, func(w http.ResponseWriter) { http.Error(w, "bad", http.StatusInternalServerError) }, "export_refused", "500 Internal Server Error: bad"},
		"404, no gate": {false, func(w http.ResponseWriter) { http.NotFound(w, nil) }, "export_refused", "404 Not Found"},
		"429": {false, func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "slow down", http.StatusTooManyRequests)
		}, "export_retried", "429 Too Many Requests: slow down"},
		"503": {false, func(w http.ResponseWriter) { http.Error(w, "queue is full", http.StatusServiceUnavailable) }, "export_retried", "503 Service Unavailable: queue is full"},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			server := startCollector(t, func(n int, w http.ResponseWriter) {
				switch {
				case n == 0:
					c.answer(w)
				case c.grpc:
					answerGRPC(w, nil)
				}
			})
			stats := deliver(t, Config{Address: server.URL, GRPC: c.grpc}, c.counter)
			for _, s := range stats {
				if s.Name == c.counter && (s.Value == 0 || !strings.Contains(s.Sentence, c.reason)) {
					t.Errorf("%+v, want the reason %q", s, c.reason)
				}
			}
		})
	}
}

func TestOnlyARecoveredProfileHasTheAttribute(t *testing.T) {
	r, err := (&Config{Attributes: map[string]string{"service.name": "shop", "recovered": "mine"}}).resources()
	if err != nil {
		t.Fatal(err)
	}
	for recovered, want := range map[bool]string{false: `"mine"`, true: `"true"`} {
		m := moment(t, whole())
		m.Recovered = recovered
		data, err := r.encode(m)
		if err != nil {
			t.Fatal(err)
		}
		request := &profiles.ProfilesData{}
		if err := proto.Unmarshal(data, request); err != nil {
			t.Fatal(err)
		}
		mustHaveAttributes(t, request, map[string]string{"service.name": `"shop"`, "recovered": want})
	}
}

func TestAServiceWithoutANameHasTheOneOfTheConventions(t *testing.T) {
	r, err := (&Config{}).resources()
	if err != nil {
		t.Fatal(err)
	}
	mustHaveAttributes(t, &profiles.ProfilesData{ResourceProfiles: []*profiles.ResourceProfiles{{Resource: r.living}}},
		map[string]string{"service.name": `"unknown_service:otlp.test"`})
}

func TestConfigThatMakesNoSenseIsAnError(t *testing.T) {
	for reason, c := range map[string]Config{
		"address":          {Address: "collector:4318"},
		"bearer":           {Address: "http://localhost", User: "u", BearerToken: "t"},
		"has no name":      {Address: "http://localhost", Attributes: map[string]string{"": "a"}},
		`"a" is not UTF-8`: {Address: "http://localhost", Attributes: map[string]string{"a": "\xff"}},
	} {
		_, err := New(c)
		if err == nil || !strings.HasPrefix(err.Error(), "otlp: ") || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", reason, err)
		}
	}
	if err := rejected([]byte{0xff}); !errors.Is(err, errAnswer) {
		t.Error(err)
	}
}
