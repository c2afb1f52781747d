package servers

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// alert is a rule of alerts.yml; a recording rule has no Alert.
type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

// alertCase is one of alerts_test.yml.
type alertCase struct {
	Name    string
	Expects []struct {
		Alertname string
		Fires     []struct {
			Labels map[string]string `yaml:"exp_labels"`
		} `yaml:"exp_alerts"`
	} `yaml:"alert_rule_test"`
	Input []struct{ Series string } `yaml:"input_series"`
}

func rules(t *testing.T) (list []alert) {
	t.Helper()
	var file struct{ Groups []struct{ Rules []alert } }
	if err := yaml.Unmarshal([]byte(read(t, watchFolder, "alerts.yml")), &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		list = append(list, g.Rules...)
	}
	return list
}

func alerts(t *testing.T) []alert {
	t.Helper()
	return slices.DeleteFunc(rules(t), func(a alert) bool { return a.Alert == "" })
}

func TestPrometheusAcceptsTheAlerts(t *testing.T) {
	promtool(t, "", "check", "rules", "--lint=all", "--lint-fatal", filepath.Join(watchFolder, "alerts.yml"))
	promtool(t, "", "check", "config", filepath.Join(watchFolder, "prometheus.yml"))
}

// Each alert fires with its sentences where it should, and not where it should not: promtool runs the cases.
func TestAlertsFire(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	promtool(t, "", "test", "rules", filepath.Join(watchFolder, "alerts_test.yml"))
}

func TestEachAlertHasACaseThatFiresAndOneThatDoesNot(t *testing.T) {
	var file struct{ Tests []alertCase }
	if err := yaml.Unmarshal([]byte(read(t, watchFolder, "alerts_test.yml")), &file); err != nil {
		t.Fatal(err)
	}
	var cases, names []string
	for _, c := range file.Tests {
		cases = append(cases, c.Name)
		for _, e := range c.Expects {
			if e.Alertname != c.Name { // promtool passes an alert that does not exist if none is to fire
				t.Errorf("the case of %s asks for %s", c.Name, e.Alertname)
			}
		}
		last := c.Expects[len(c.Expects)-1].Fires
		if len(last) != 1 || last[0].Labels["instance"] != "bad:8080" {
			t.Errorf("%s does not fire for the bad one alone: %v", c.Name, last)
		}
		if all := fmt.Sprint(c.Input); !strings.Contains(all, `"bad:8080"`) || !strings.Contains(all, `"fine:8080"`) {
			t.Errorf("%s is not fed with two services", c.Name)
		}
	}
	for _, a := range alerts(t) {
		names = append(names, a.Alert)
	}
	if diff := cmp.Diff(names, cases); diff != "" {
		t.Error(diff)
	}
}

func TestAlertsSayWhatToDo(t *testing.T) {
	for _, a := range alerts(t) {
		if !slices.Contains([]string{"page", "ticket", "info"}, a.Labels["severity"]) {
			t.Errorf("%s: severity %q", a.Alert, a.Labels["severity"])
		}
		if !strings.Contains(a.Annotations["summary"], "{{ $labels.instance }}") || len(a.Annotations["description"]) < 50 {
			t.Errorf("%s says only %q", a.Alert, a.Annotations)
		}
	}
}

// A metric has an alert, or docs/metrics.md says that it has none.
func TestAlertsCoverTheMetrics(t *testing.T) {
	expressions := make([]string, 0, 40)
	for _, r := range rules(t) {
		expressions = append(expressions, strings.ReplaceAll(r.Expr, "cgoheap:limit_bytes", ""))
	}
	unused := mustName(t, expressions)
	sentence := regexp.MustCompile(`(?s)\nNo alert is on [^:]*:`).FindString(read(t, "../../docs/metrics.md"))
	if diff := cmp.Diff(unused, metricName.FindAllString(sentence, -1)); diff != "" {
		t.Error("metrics without an alert, and what the docs say:\n", diff)
	}
}

func TestTheDocsListTheAlerts(t *testing.T) {
	var want, got []string
	for _, a := range alerts(t) {
		want = append(want, a.Alert+" "+a.Labels["severity"])
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `(Cgoheap\\w+)` \\| (\\w+) \\|").FindAllStringSubmatch(read(t, "../../docs/metrics.md"), -1) {
		got = append(got, row[1]+" "+row[2])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
