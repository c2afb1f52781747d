package servers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// watcher is a real Prometheus that scrapes one service, with the configuration, the alerts and the queries that this project
// gives to its users.
type watcher struct {
	*process
	target string // the label instance
}

// startWatcher starts a Prometheus by the example's configuration, which scrapes and evaluates each second.
func startWatcher(t *testing.T, service *process) *watcher {
	t.Helper()
	needsPrometheus(t)
	dir, address, target := t.TempDir(), toolchain.Loopback(toolchain.FreePort(t)), strings.TrimPrefix(service.url, "http://")
	config := read(t, watchFolder, "prometheus.yml")
	for from, to := range map[string]string{"_interval: 15s": "_interval: 1s", "localhost:8080": target} {
		if !strings.Contains(config, from) {
			t.Fatalf("prometheus.yml has no %q", from)
		}
		config = strings.ReplaceAll(config, from, to)
	}
	for name, text := range map[string]string{"prometheus.yml": config, "alerts.yml": read(t, watchFolder, "alerts.yml")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := &watcher{&process{name: "prometheus", url: "http://" + address, ready: "/-/ready", command: []string{
		"prometheus", "--config.file=" + filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path=" + filepath.Join(dir, "data"),
		"--web.listen-address=" + address,
	}}, target}
	launch(t, w.process)
	return w
}

// ask asks the HTTP API of Prometheus, and reads the data of its answer into data.
func (w *watcher) ask(path string, parameters url.Values, data any) error {
	response, err := http.Get(w.url + "/api/v1/" + path + "?" + parameters.Encode())
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	answer := struct {
		Status, Error string
		Data          any
	}{Data: data}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Status != "success" {
		return fmt.Errorf("%s %v: %s: %.500s", path, parameters, response.Status, body)
	}
	return nil
}

// series is what one has now, and its labels.
type series struct {
	Metric map[string]string
	Value  [2]any // a time, and a number as text
}

func (s *series) number() float64 {
	text, _ := s.Value[1].(string)
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err) // of the test, with Prometheus's answer
	}
	return number
}

func (w *watcher) query(expression string) ([]series, error) {
	var data struct{ Result []series }
	err := w.ask("query", url.Values{"query": {expression}}, &data)
	return data.Result, err
}

// number returns the value of an expression that has one.
func (w *watcher) number(expression string) (float64, error) {
	all, err := w.query(expression)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%s has %d values", expression, len(all))
	}
	if err != nil {
		return 0, err
	}
	return all[0].number(), nil
}

// await waits until the value of an expression is as it should be.
func (w *watcher) await(t *testing.T, expression string, good func(float64) bool) (value float64) {
	t.Helper()
	eventually(t, expression, func() (err error) {
		if value, err = w.number(expression); err == nil && !good(value) {
			err = fmt.Errorf("it is %v", value)
		}
		return err
	})
	return value
}

func TestPrometheusWatchesAService(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	needsPrometheus(t)
	service := startLeaky(t, "-dumps", t.TempDir())
	visit(t, service, 0, 50)
	w := startWatcher(t, service)
	w.await(t, `up{job="cgoheap"}`, func(up float64) bool { return up == 1 })
	if err := service.running.Process.Signal(syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	w.await(t, `cgoheap_dumps_total{result="written"}`, func(n float64) bool { return n == 1 })

	t.Run("promtool has no remark", func(t *testing.T) {
		promtool(t, string(fetch(t, service.url+"/debug/cgoheap/metrics")), "check", "metrics")
	})
	t.Run("the lines add up to RSS", func(t *testing.T) { linesAddUp(t, w, service) })
	t.Run("counters grow", func(t *testing.T) { countersGrow(t, w, service) })
	t.Run("the rules are loaded and healthy", func(t *testing.T) { rulesAreHealthy(t, w) })
	t.Run("an alert fires", func(t *testing.T) { anAlertFires(t, w) })
	t.Run("the dashboard has its series", func(t *testing.T) { dashboardHasSeries(t, w) })
}

// linesAddUp compares what Prometheus has with the sum of its lines, in all its scrapes, and with the page.
func linesAddUp(t *testing.T, w *watcher, service *process) {
	const off = `max_over_time(abs(sum without (line) (cgoheap_account_bytes) - cgoheap_account_rss_bytes)[1h:1s])`
	if most, err := w.number(off); err != nil || most != 0 {
		t.Errorf("the sum of the lines differs from RSS by up to %v bytes, %v", most, err)
	}
	eventually(t, "a scrape of the account that the page has", func() error {
		page := string(fetch(t, service.url+"/debug/cgoheap/metrics"))
		all, err := w.query("last_over_time({__name__=~\"cgoheap_account_(bytes|rss_bytes|timestamp_seconds)\"}[5s])")
		if err != nil {
			return err
		}
		if len(all) < 10 {
			return fmt.Errorf("%d series", len(all))
		}
		return missing(page, all)
	})
}

// missing returns an error if not each of these is on the page with its value.
func missing(page string, all []series) error {
	lines := strings.Split(page, "\n")
	for _, s := range all {
		text := s.Metric["__name__"]
		if line := s.Metric["line"]; line != "" {
			text += `{line="` + line + `"}`
		}
		text += " " + strconv.FormatFloat(s.number(), 'g', -1, 64)
		if !slices.Contains(lines, text) {
			return fmt.Errorf("the page has no %s", text)
		}
	}
	return nil
}

func countersGrow(t *testing.T, w *watcher, service *process) {
	for _, counter := range []string{"cgoheap_samples_total", "cgoheap_sampled_frees_total", `cgoheap_work_seconds_total{work="account"}`} {
		before := w.await(t, counter, func(n float64) bool { return n > 0 })
		visit(t, service, 1000, 10)
		w.await(t, counter, func(n float64) bool { return n > before })
	}
	w.await(t, `cgoheap_native_in_use_bytes`, func(bytes float64) bool { return bytes > 1<<20 }) // it leaks more than that
	w.await(t, `cgoheap_sample_interval_bytes`, func(bytes float64) bool { return bytes == 1 })
}

// rule is one that Prometheus has loaded.
type rule struct {
	Name, Health, LastError string
}

func rulesAreHealthy(t *testing.T, w *watcher) {
	var names []string
	eventually(t, "the rules are evaluated", func() error {
		var loaded struct{ Groups []struct{ Rules []rule } }
		err := w.ask("rules", nil, &loaded)
		names = nil
		for _, g := range loaded.Groups {
			for _, r := range g.Rules {
				names = append(names, r.Name)
				if r.Health != "ok" || r.LastError != "" {
					err = errors.Join(err, fmt.Errorf("%+v", r))
				}
			}
		}
		return err
	})
	want := []string{"cgoheap:limit_bytes"}
	for _, a := range alerts(t) {
		want = append(want, a.Alert)
	}
	slices.Sort(want)
	slices.Sort(names) // groups come in another order
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// anAlertFires: a dump was written, and that has an alert without a delay. No other fires for a service that is well.
func anAlertFires(t *testing.T, w *watcher) {
	type firing struct {
		State               string
		Labels, Annotations map[string]string
	}
	var alerts struct{ Alerts []firing }
	states := map[string]string{}
	eventually(t, "the alert on a dump", func() error {
		if err := w.ask("alerts", nil, &alerts); err != nil {
			return err
		}
		clear(states)
		for _, a := range alerts.Alerts {
			states[a.Labels["alertname"]] = a.State
			if a.Labels["instance"] != w.target || strings.Contains(a.Annotations["summary"], "<") {
				t.Errorf("%+v", a)
			}
		}
		if states["CgoheapDumpWasWritten"] != "firing" || states["CgoheapRecordsNearlyEverything"] != "pending" {
			return fmt.Errorf("%+v", alerts)
		}
		return nil
	})
	for name, state := range states {
		if state == "firing" && name != "CgoheapDumpWasWritten" {
			t.Errorf("%s fires", name)
		}
	}
}

func isOfExporters(expression string) bool { return strings.Contains(expression, "cgoheap_export_") }

// isOfDevices: a process that uses no device has no such series (TestMetricsHaveMemoryOfDevices).
func isOfDevices(expression string) bool { return strings.Contains(expression, "cgoheap_device_bytes") }

// dashboardHas asks for what each panel shows. Those that are to have series must have some, unless they show what is wrong.
func dashboardHas(t *testing.T, w *watcher, wanted func(expression string) bool) {
	t.Helper()
	titles, list := expressions(t, "cgoheap", w.target)
	for i, expression := range list {
		eventually(t, titles[i], func() error {
			all, err := w.query(expression)
			if err == nil && len(all) == 0 && wanted(expression) && !strings.HasSuffix(expression, " > 0") {
				err = fmt.Errorf("there is nothing for %s", expression)
			}
			return err
		})
	}
}

func dashboardHasSeries(t *testing.T, w *watcher) {
	var jobs []string
	if err := w.ask("label/job/values", url.Values{"match[]": {"cgoheap_up"}}, &jobs); err != nil || !slices.Equal(jobs, []string{"cgoheap"}) {
		t.Errorf("the variable job offers %q, %v", jobs, err)
	}
	dashboardHas(t, w, func(e string) bool { return !isOfExporters(e) && !isOfDevices(e) })
}

// receiver is a server of profiles that accepts what it is sent, unless it is away.
func receiver(t *testing.T) (server *httptest.Server, away *atomic.Bool) {
	t.Helper()
	away = new(atomic.Bool)
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
	}))
	t.Cleanup(server.Close)
	return server, away
}

func TestPrometheusWatchesAnExporter(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	needsPrometheus(t)
	server, away := receiver(t)
	keeper := startKeeper(t, "-pyroscope", server.URL, "-interval", "100ms")
	allocate(t, keeper, "keep", 1024, 50)
	w := startWatcher(t, keeper)
	w.await(t, `cgoheap_part_up{part="export"}`, func(up float64) bool { return up == 1 })
	of := func(name, result string) string {
		return fmt.Sprintf("%s{instance=%q, target=%q%s}", name, w.target, server.URL, result)
	}
	arrived := of("cgoheap_export_pushes_total", `, result="arrived"`)
	before := w.await(t, arrived, func(n float64) bool { return n > 0 })
	w.await(t, arrived, func(n float64) bool { return n > before })
	w.await(t, of("cgoheap_export_pushed_bytes_total", ""), func(n float64) bool { return n > 100 })
	w.await(t, "time() - "+of("cgoheap_export_last_push_timestamp_seconds", ""), func(age float64) bool { return age > -60 && age < 3600 })
	promtool(t, string(fetch(t, keeper.url+"/debug/cgoheap/metrics")), "check", "metrics")

	away.Store(true)
	w.await(t, of("cgoheap_export_pushes_total", `, result="retried"`), func(n float64) bool { return n > 0 })
	w.await(t, of("cgoheap_export_queue_profiles", ""), func(n float64) bool { return n > 0 })
	away.Store(false)
	last := w.await(t, arrived, func(n float64) bool { return n > before })
	w.await(t, arrived, func(n float64) bool { return n > last })
	dashboardHas(t, w, isOfExporters)
}
