package post_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
	"github.com/cgoheap/cgoheap/export/post"
)

// encode joins a moment's profiles.
func encode(m *post.Moment) ([]byte, error) { return bytes.Join(m.Profiles, nil), nil }

func newTarget(t *testing.T, c post.Config) export.Target {
	t.Helper()
	if c.Encode == nil {
		c.Encode = encode
	}
	if c.Path == "" {
		c.Path = "/ingest"
	}
	if !c.GRPC {
		c.ContentType = "application/x-test"
	}
	to, err := post.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Close() })
	return to
}

// send sends a batch once, whose failure it returns.
func send(t *testing.T, to export.Target, b *delivery.Batch) *delivery.Failure {
	t.Helper()
	err := to.Send(t.Context(), b)
	var f *delivery.Failure
	if err != nil && !errors.As(err, &f) {
		t.Fatalf("%v is no Failure", err)
	}
	return f
}

func TestTheExportersLoopServesAServerOfAnyKind(t *testing.T) {
	server := standin.Serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	to := newTarget(t, post.Config{Address: server.URL, Apart: true, SampleLabels: []string{"heap"}})
	p := &standin.Profiler{}
	e, err := export.Start(p, to, export.Config{Interval: 20 * time.Millisecond, QueueBatches: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Minute); e.Stats().Value("export_pushed") < 3; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(e.Stats())
		}
	}
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	var want, got []int64
	for n := range p.Written() {
		if want = append(want, int64(n+1)); n == 1 {
			want = append(want, 2) // once more, after the 503
		}
	}
	for _, c := range server.Calls() {
		got = append(got, number(t, c.Body))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("arrived (-want +got):\n%s", diff)
	}
}

// number is which profile of a standin.Profiler the second one of a body is, which are both gzipped, and gzipped again.
func number(t *testing.T, body []byte) (objects int64) {
	t.Helper()
	outer, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	joined, err := io.ReadAll(outer)
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.LastIndex(joined, []byte{0x1f, 0x8b, 8})
	if second <= 0 {
		t.Fatal("there are no two profiles")
	}
	p, err := profile.ParseData(joined[second:])
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Sample {
		objects += s.Value[0]
		if len(s.Label["heap"]) != 1 {
			t.Errorf("the labels are %v", s.Label)
		}
	}
	return objects
}

func TestWhatBecomesOfAMoment(t *testing.T) {
	failed := errors.New("it cannot be")
	no := func(*post.Moment) ([]byte, error) { return nil, failed }
	for about, c := range map[string]struct {
		config post.Config
		answer func(w http.ResponseWriter)
		want   *delivery.Failure
	}{
		"arrives":             {post.Config{}, func(http.ResponseWriter) {}, nil},
		"cannot be encoded":   {post.Config{Encode: no}, func(http.ResponseWriter) {}, &delivery.Failure{Err: failed, Verdict: delivery.Refused}},
		"the answer is a yes": {post.Config{Check: isYes}, func(w http.ResponseWriter) { _, _ = io.WriteString(w, "yes") }, nil},
		"the answer is a no": {post.Config{Check: isYes}, func(w http.ResponseWriter) { _, _ = io.WriteString(w, "no") },
			&delivery.Failure{Err: errNo, Verdict: delivery.Refused}},
		"500": {post.Config{}, func(w http.ResponseWriter) { w.WriteHeader(500) },
			&delivery.Failure{Err: errors.New("500 Internal Server Error"), Verdict: delivery.Doubtful}},
		"a final 500": {post.Config{FinalErrors: true}, func(w http.ResponseWriter) { w.WriteHeader(500) },
			&delivery.Failure{Err: errors.New("500 Internal Server Error"), Verdict: delivery.Refused}},
		"429, though errors are final": {post.Config{FinalErrors: true}, func(w http.ResponseWriter) { w.WriteHeader(429) },
			&delivery.Failure{Err: errors.New("429 Too Many Requests"), Verdict: delivery.Later}},
		"by gRPC": {post.Config{GRPC: true, Path: "/test.Service/Method", Check: isYes},
			func(w http.ResponseWriter) { standin.GRPC(w, []byte("yes")) }, nil},
		"refused by gRPC": {post.Config{GRPC: true, Path: "/test.Service/Method"}, func(w http.ResponseWriter) { standin.GRPCError(w, 3, "bad") },
			&delivery.Failure{Err: errors.New("invalid_argument: bad"), Verdict: delivery.Refused}},
	} {
		t.Run(about, func(t *testing.T) {
			server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { c.answer(w) })
			c.config.Address = server.URL
			f := send(t, newTarget(t, c.config), &delivery.Batch{Profiles: [][]byte{[]byte("profile")}})
			if (f == nil) != (c.want == nil) || f != nil && (f.Verdict != c.want.Verdict || !strings.Contains(f.Error(), c.want.Error())) {
				t.Errorf("%+v, want %+v", f, c.want)
			}
		})
	}
}

var errNo = errors.New("it is a no")

func isYes(answer []byte) error {
	if string(answer) == "yes" {
		return nil
	}
	return errNo
}

func TestEncodeIsToldOfARecoveredProfile(t *testing.T) {
	server := standin.Serve(t, func(int, http.ResponseWriter, *http.Request) {})
	var told []bool
	to := newTarget(t, post.Config{Address: server.URL, Encode: func(m *post.Moment) ([]byte, error) {
		told = append(told, m.Recovered)
		return nil, nil
	}})
	for _, b := range []*delivery.Batch{{}, {Recovered: &delivery.Recovered{}}} {
		if f := send(t, to, b); f != nil {
			t.Fatal(f)
		}
	}
	if diff := cmp.Diff([]bool{false, true}, told); diff != "" {
		t.Error(diff)
	}
}

func TestPlacesDifferWhereProfilesAreAddedUpApart(t *testing.T) {
	seen := map[string]post.Config{}
	for _, c := range []post.Config{
		{Address: "http://a"}, {Address: "http://b"}, {Address: "http://a", Series: "shop"}, {Address: "http://a", Path: "/other"},
		{Address: "http://a", User: "1"}, {Address: "http://a", Header: http.Header{"X-Scope-OrgID": {"1"}}},
	} {
		place := newTarget(t, c).Place()
		if other, is := seen[place]; is {
			t.Errorf("%+v and %+v are one place", c.Address, other.Address)
		}
		seen[place] = c
	}
}

func TestConfigThatMakesNoSenseIsAnError(t *testing.T) {
	good := post.Config{Address: "http://localhost", Path: "/path", ContentType: "text/plain", Encode: encode}
	for name, spoil := range map[string]func(*post.Config){
		"address":     func(c *post.Config) { c.Address = "localhost" },
		"path":        func(c *post.Config) { c.Path = "path" },
		"Encode":      func(c *post.Config) { c.Encode = nil },
		"ContentType": func(c *post.Config) { c.ContentType = "" },
		"gRPC":        func(c *post.Config) { c.GRPC = true },
		"bearer":      func(c *post.Config) { c.User, c.BearerToken = "u", "t" },
	} {
		c := good
		spoil(&c)
		if _, err := post.New(c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := post.New(good); err != nil {
		t.Error(err)
	}
}

// A server's text comes through Check, too.
func TestWhatCheckSaysHasNoSecret(t *testing.T) {
	server := standin.Serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	})
	to, err := post.New(post.Config{
		Address: server.URL, Path: "/", ContentType: "text/plain", BearerToken: "abcdefgh",
		Encode: func(*post.Moment) ([]byte, error) { return nil, nil },
		Check:  func(answer []byte) error { return errors.New("it says " + string(answer)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Send(t.Context(), &delivery.Batch{}); err == nil || err.Error() != "it says [secret]" && err.Error() != "it says Bearer [secret]" {
		t.Error(err)
	}
}
