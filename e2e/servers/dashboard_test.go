package servers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// loadDashboard reads the dashboard by Grafana's own schema, in which a field that Grafana does not know is an error.
func loadDashboard(t *testing.T) *dashboard.Dashboard { //nolint:staticcheck // the form of a dashboard that every Grafana imports
	t.Helper()
	kinds := cog.NewRuntime()
	kinds.RegisterPanelcfgVariant(timeseries.VariantConfig())
	kinds.RegisterPanelcfgVariant(stat.VariantConfig())
	kinds.RegisterDataqueryVariant(prometheus.VariantConfig())
	var d dashboard.Dashboard //nolint:staticcheck // as above
	err := d.UnmarshalJSONStrict([]byte(read(t, watchFolder, "dashboard.json")))
	if err != nil && err.Error() != "" { // it may return an empty list of errors
		t.Fatal(err)
	}
	return &d
}

// panel is what is asked of panels here, rows among them.
type panel struct {
	ID         int
	Type       string
	Title      string
	Datasource struct{ Type, UID string }
	GridPos    struct{ H, W, X, Y int }
	Targets    []struct{ Expr, RefID, LegendFormat string }
}

func panels(t *testing.T) []panel {
	t.Helper()
	var d struct{ Panels []panel }
	if err := json.Unmarshal([]byte(read(t, watchFolder, "dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	return d.Panels
}

// expressions returns what the dashboard's panels ask Prometheus for, about one service, by their titles.
func expressions(t *testing.T, job, instance string) (titles, list []string) {
	t.Helper()
	fill := strings.NewReplacer("$job", job, "$instance", instance, "$__rate_interval", "1m")
	for _, p := range panels(t) {
		for _, target := range p.Targets {
			titles, list = append(titles, p.Title+": "+target.LegendFormat), append(list, fill.Replace(target.Expr))
		}
	}
	if len(list) < 20 {
		t.Fatalf("%q", list)
	}
	return titles, list
}

func TestTheDashboardIsOneByGrafanasSchema(t *testing.T) {
	d := loadDashboard(t)
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
	if d.SchemaVersion < 36 || d.Uid == nil || d.Title == nil || len(d.Panels) == 0 {
		t.Errorf("schema %d, %v, %v, %d panels", d.SchemaVersion, d.Uid, d.Title, len(d.Panels))
	}
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, string(v.Type)+" "+v.Name)
	}
	if want := []string{"datasource datasource", "query job", "query instance"}; !slices.Equal(variables, want) {
		t.Errorf("variables %q, want %q", variables, want)
	}
}

func TestPanelsAreWhole(t *testing.T) {
	seen, place := map[int]bool{}, map[[2]int]string{}
	for _, p := range panels(t) {
		if p.ID == 0 || seen[p.ID] || p.Title == "" {
			t.Errorf("the panel %q has the number %d", p.Title, p.ID)
		}
		seen[p.ID] = true
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other := place[at]; other != "" || at[0] >= 24 {
					t.Fatalf("%q lies at %v, where %q is", p.Title, at, other)
				}
				place[at] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Datasource.Type != "prometheus" || p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("%q asks %v for %v", p.Title, p.Datasource, p.Targets)
		}
	}
}

func TestTheDashboardShowsEachMetric(t *testing.T) {
	_, list := expressions(t, "shop", "shop:8080")
	if missing := mustName(t, list); len(missing) > 0 {
		t.Errorf("no panel shows %q", missing)
	}
	for _, e := range list {
		if variable := regexp.MustCompile(`\$\w+`).FindString(e); variable != "" {
			t.Errorf("there is no %s, in %s", variable, e)
		}
	}
}

// Prometheus's own parser reads each expression, as one of a rule.
func TestPrometheusReadsTheDashboardsExpressions(t *testing.T) {
	_, list := expressions(t, "shop", "shop:8080")
	var text strings.Builder
	text.WriteString("groups:\n  - name: dashboard\n    rules:\n")
	for i, e := range list {
		fmt.Fprintf(&text, "      - {record: panel:%d, expr: %q}\n", i, e)
	}
	path := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "", "check", "rules", path)
}
