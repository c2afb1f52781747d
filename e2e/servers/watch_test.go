package servers

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// watchFolder has what is given to those who watch services with Prometheus and Grafana.
const watchFolder = "../../examples/prometheus"

// promtool runs Prometheus's own checker.
func promtool(t *testing.T, stdin string, words ...string) {
	t.Helper()
	needsPrometheus(t)
	command := exec.Command("promtool", words...)
	command.Stdin = strings.NewReader(stdin)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", command, err, out)
	}
}

func needsPrometheus(t *testing.T) {
	t.Helper()
	for _, program := range []string{"prometheus", "promtool"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s (Debian: prometheus)", program)
		}
	}
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// documented returns the metrics that docs/metrics.md lists.
func documented(t *testing.T) (names []string) {
	t.Helper()
	for _, row := range regexp.MustCompile("(?m)^\\| `(cgoheap_\\w+)`").FindAllStringSubmatch(read(t, "../../docs/metrics.md"), -1) {
		names = append(names, row[1])
	}
	if len(names) < 20 {
		t.Fatalf("the docs have %q", names)
	}
	return names
}

var metricName = regexp.MustCompile(`\bcgoheap_\w+`)

// mustName fails the test for names of metrics in expressions that the docs do not have. It returns those that they have and
// no expression.
func mustName(t *testing.T, expressions []string) (unused []string) {
	t.Helper()
	known, used := documented(t), metricName.FindAllString(strings.Join(expressions, "\n"), -1)
	for _, name := range used {
		if !slices.Contains(known, name) {
			t.Errorf("there is no metric %s in docs/metrics.md", name)
		}
	}
	return slices.DeleteFunc(known, func(name string) bool { return slices.Contains(used, name) })
}
