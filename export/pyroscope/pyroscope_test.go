package pyroscope_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
	"github.com/cgoheap/cgoheap/export/pyroscope"
)

const interval = 20 * time.Millisecond

func start(t *testing.T, p export.Profiler, c pyroscope.Config, e export.Config) *export.Exporter {
	t.Helper()
	to, err := pyroscope.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if e.Interval == 0 {
		e.Interval = interval
	}
	exporter, err := export.Start(p, to, e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = exporter.Stop() })
	return exporter
}

// push is the content of one call.
type push struct {
	labels  map[string]string
	profile *profile.Profile
}

func decode(t *testing.T, c standin.Call) push {
	t.Helper()
	if c.Path != "/push.v1.PusherService/Push" || c.Method != http.MethodPost || c.Header.Get("Content-Type") != "application/proto" {
		t.Fatalf("%s %s with %v", c.Method, c.Path, c.Header)
	}
	series := standin.Decode(t, c.Body).Messages(t, 1)
	if len(series) != 1 || len(series[0].Messages(t, 2)) != 1 {
		t.Fatalf("not one profile in one series: %v", series)
	}
	p, err := profile.Parse(bytes.NewReader([]byte(series[0].Messages(t, 2)[0].Text(1))))
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		t.Fatal(err)
	}
	return push{standin.Pairs(series[0].Messages(t, 1)), p}
}

// total is the sum of a column of a profile.
func total(p *profile.Profile, column string) (sum int64) {
	for i, st := range p.SampleType {
		if st.Type == column {
			for _, s := range p.Sample {
				sum += s.Value[i]
			}
		}
	}
	return sum
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not yet: %s", what)
		}
	}
}

func accept(_ int, w http.ResponseWriter, _ *http.Request) { standin.Connect(w) }

func TestPushIsAProfileWithItsSeries(t *testing.T) {
	server := standin.Serve(t, accept)
	e := start(t, &standin.Profiler{}, pyroscope.Config{
		Address: server.URL, ServiceName: "shop", Labels: map[string]string{"region": "eu"},
		TenantID: "team-a", User: "user", Password: "password", Header: http.Header{"X-Further": {"yes"}},
	}, export.Config{})
	before := time.Now()
	await(t, "three profiles", func() bool { return len(server.Calls()) >= 3 })
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	for i, c := range server.Calls() {
		got := decode(t, c)
		want := map[string]string{"__name__": "memory", "__delta__": "false", "service_name": "shop", "region": "eu"}
		if diff := cmp.Diff(want, got.labels); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		user, password, _ := (&http.Request{Header: c.Header}).BasicAuth()
		if user != "user" || password != "password" || c.Header.Get("X-Scope-OrgID") != "team-a" || c.Header.Get("X-Further") != "yes" {
			t.Errorf("headers: %v", c.Header)
		}
		checkProfile(t, got.profile, int64(i+1))
		if at := time.Unix(0, got.profile.TimeNanos); at.Before(before.Add(-time.Second)) || at.After(time.Now()) {
			t.Errorf("the profile is of %v", at)
		}
	}
	if n := e.Stats().Value("export_pushed"); n != uint64(len(server.Calls())) {
		t.Errorf("%d pushed, %d arrived", n, len(server.Calls()))
	}
}

// checkProfile checks that a profile is number n, with the four columns under their usual names and no label.
func checkProfile(t *testing.T, p *profile.Profile, n int64) {
	t.Helper()
	var types []string
	for _, st := range p.SampleType {
		types = append(types, st.Type+":"+st.Unit)
	}
	want := "alloc_objects:count alloc_space:bytes inuse_objects:count inuse_space:bytes"
	if got := strings.Join(types, " "); got != want || p.PeriodType.Type+":"+p.PeriodType.Unit != "space:bytes" {
		t.Errorf("sample types %s, period type %v", got, p.PeriodType)
	}
	if total(p, "alloc_objects") != n || total(p, "inuse_space") != standin.InUseBytes || p.DurationNanos == 0 {
		t.Errorf("profile %d: %v", n, p)
	}
	for _, s := range p.Sample {
		if len(s.Label)+len(s.NumLabel) > 0 {
			t.Errorf("a sample has labels: %v %v", s.Label, s.NumLabel)
		}
	}
}

func TestOnlyARecoveredProfileHasTheLabel(t *testing.T) {
	server := standin.Serve(t, accept)
	to, err := pyroscope.New(pyroscope.Config{Address: server.URL, ServiceName: "shop", Labels: map[string]string{"recovered": "mine", "a": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*delivery.Batch{{}, {Recovered: &delivery.Recovered{}}, {}} {
		if err := to.Send(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	for i, value := range []string{"mine", "true", "mine"} {
		series := standin.Decode(t, server.Calls()[i].Body).Messages(t, 1)
		want := map[string]string{"__name__": "memory", "__delta__": "false", "service_name": "shop", "a": "b", "recovered": value}
		if diff := cmp.Diff(want, standin.Pairs(series[0].Messages(t, 1))); diff != "" {
			t.Errorf("call %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestPlacesDifferWhereProfilesAreAddedUpApart(t *testing.T) {
	seen := map[string]pyroscope.Config{}
	for _, c := range []pyroscope.Config{
		{Address: "http://a"}, {Address: "http://b"}, {Address: "http://a", ServiceName: "shop"}, {Address: "http://a", TenantID: "1"},
		{Address: "http://a", User: "1"}, {Address: "http://a", BearerToken: "1"}, {Address: "http://a", ProfileName: "cgo"},
	} {
		to, err := pyroscope.New(c)
		if err != nil {
			t.Fatal(err)
		}
		if other, is := seen[to.Place()]; is {
			t.Errorf("%+v and %+v are one place", c, other)
		}
		seen[to.Place()] = c
	}
	if to, err := pyroscope.New(pyroscope.Config{Address: "http://a/"}); err != nil || seen[to.Place()].Address != "http://a" {
		t.Errorf("the same place is another one: %v", err)
	}
}

func TestSampleLabelsThatAreAskedForStay(t *testing.T) {
	server := standin.Serve(t, accept)
	start(t, &standin.Profiler{}, pyroscope.Config{
		Address: server.URL, ProfileName: "cgo_memory", SampleLabels: []string{"heap"}, BearerToken: "secret",
	}, export.Config{})
	await(t, "a profile", func() bool { return len(server.Calls()) > 0 })
	c := server.Calls()[0]
	got := decode(t, c)
	if got.labels["__name__"] != "cgo_memory" || got.labels["service_name"] != "pyroscope.test" || c.Header.Get("Authorization") != "Bearer secret" {
		t.Errorf("labels %v, headers %v", got.labels, c.Header)
	}
	seen := map[string]bool{}
	for _, s := range got.profile.Sample {
		if len(s.Label) != 1 || len(s.NumLabel) != 0 {
			t.Errorf("labels %v %v", s.Label, s.NumLabel)
		}
		seen[s.Label["heap"][0]] = true
	}
	if !seen["go"] || !seen["native"] {
		t.Errorf("heaps %v", seen)
	}
}

func TestConfigThatMakesNoSenseIsAnError(t *testing.T) {
	for _, c := range []pyroscope.Config{
		{},
		{Address: "http://localhost", ProfileName: "a-b"},
		{Address: "http://localhost", Labels: map[string]string{"__delta__": "true"}},
		{Address: "http://localhost", ServiceName: "\xff"},
	} {
		if _, err := pyroscope.New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
