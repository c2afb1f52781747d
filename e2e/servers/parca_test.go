package servers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A parcaServer is a real Parca, with its queries.
type parcaServer struct{ *process }

const parcaStorage = `
object_storage:
  bucket:
    type: FILESYSTEM
    config:
      directory: %q
`

// startParca starts Parca with this configuration, added to its storage's.
func startParca(t *testing.T, config string) *parcaServer {
	t.Helper()
	binary := serverBinary(t, "parca")
	dir := t.TempDir()
	path := filepath.Join(dir, "parca.yaml")
	config = fmt.Sprintf(parcaStorage, filepath.Join(dir, "data")) + config
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	address := toolchain.Loopback(toolchain.FreePort(t))
	p := &process{name: "parca", url: "http://" + address, ready: "/metrics", command: []string{
		binary, "--config-path=" + path, "--http-address=" + address,
		"--debuginfo-cache-dir=" + filepath.Join(dir, "debuginfo"), "--debuginfod-upstream-servers=",
	}}
	launch(t, p)
	return &parcaServer{p}
}

// ask calls a method of Parca's QueryService by its JSON gateway.
func (p *parcaServer) ask(path string, query url.Values, answer any) error {
	return getJSON(p.url+"/api/profiles/"+path+"?"+query.Encode(), answer)
}

func getJSON(url string, answer any) error {
	response, err := http.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", url, response.Status, readAll(response.Body))
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// types returns the profile types that Parca offers, as it writes them in queries.
func (p *parcaServer) types() (types []string, err error) {
	var answer struct {
		Types []struct {
			Name, SampleType, SampleUnit, PeriodType, PeriodUnit string
			Delta                                                bool
		}
	}
	if err := p.ask("types", nil, &answer); err != nil {
		return nil, err
	}
	for _, t := range answer.Types {
		name := fmt.Sprintf("%s:%s:%s:%s:%s", t.Name, t.SampleType, t.SampleUnit, t.PeriodType, t.PeriodUnit)
		if t.Delta {
			name += ":delta"
		}
		types = append(types, name)
	}
	slices.Sort(types)
	return types, nil
}

// A moment is a profile that Parca has: its time and the sum of its values.
type moment struct {
	at     time.Time
	total  int64
	labels map[string]string
}

// moments returns the profiles that a query selects; deltas that began in the same second count as one.
func (p *parcaServer) moments(query string) (moments []moment, err error) {
	var answer struct {
		Series []struct {
			Labelset struct {
				Labels []struct{ Name, Value string }
			}
			Samples []struct {
				Timestamp time.Time
				Value     int64 `json:",string"`
			}
		}
	}
	from, to := lately()
	if err := p.ask("query_range", url.Values{
		"query": {query}, "start": {stamp(from)}, "end": {stamp(to)}, "step": {"1s"},
	}, &answer); err != nil {
		return nil, err
	}
	for _, series := range answer.Series {
		labels := map[string]string{}
		for _, l := range series.Labelset.Labels {
			labels[l.Name] = l.Value
		}
		for _, s := range series.Samples {
			moments = append(moments, moment{s.Timestamp, s.Value, labels})
		}
	}
	slices.SortFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	return moments, nil
}

// last returns the newest profile that a query selects.
func (p *parcaServer) last(query string) (moment, error) {
	moments, err := p.moments(query)
	if err == nil && len(moments) == 0 {
		err = fmt.Errorf("Parca has no %s", query)
	}
	if err != nil {
		return moment{}, err
	}
	return moments[len(moments)-1], nil
}

// stacks reads one profile back.
func (p *parcaServer) stacks(query string, at time.Time, kind string) (stacks, error) {
	return p.report(kind, url.Values{
		"mode": {"MODE_SINGLE_UNSPECIFIED"}, "single.query": {query}, "single.time": {stamp(at)},
	})
}

// sum reads back the sum of all profiles.
func (p *parcaServer) sum(query, kind string) (stacks, error) {
	from, to := lately()
	return p.report(kind, url.Values{
		"mode": {"MODE_MERGE"}, "merge.query": {query}, "merge.start": {stamp(from)}, "merge.end": {stamp(to)},
	})
}

func (p *parcaServer) report(kind string, query url.Values) (stacks, error) {
	query.Set("report_type", "REPORT_TYPE_PPROF")
	var answer struct{ Pprof []byte }
	if err := p.ask("query", query, &answer); err != nil {
		return nil, err
	}
	profile, err := profile.ParseData(answer.Pprof)
	if err != nil {
		return nil, err
	}
	return stacksOf(profile, kind)
}

// lately returns a span of time that contains all tests.
func lately() (from, to time.Time) {
	now := time.Now()
	return now.Add(-time.Hour), now.Add(time.Minute)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
