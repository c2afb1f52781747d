package serve

import (
	"math"
	"testing"
)

func TestExposition(t *testing.T) {
	for name, c := range map[string]struct {
		write func(*Exposition)
		want  string
	}{
		"a gauge": {func(w *Exposition) {
			w.Metric("a_bytes", "what it is", false)
			w.Value("a_bytes", 1<<40, Label{})
		}, "# HELP a_bytes what it is\n# TYPE a_bytes gauge\na_bytes 1.099511627776e+12\n"},
		"a counter with labels": {func(w *Exposition) {
			w.Metric("a_total", "what it is", true)
			w.Value("a_total", 1, Label{"reason", "one"})
			w.Value("a_total", 0, Label{"reason", "two"})
		}, "# HELP a_total what it is\n# TYPE a_total counter\na_total{reason=\"one\"} 1\na_total{reason=\"two\"} 0\n"},
		"two labels": {func(w *Exposition) {
			w.Value("a", 1, Label{"target", "x\"y"}, Label{}, Label{"reason", "one"})
		}, "a{target=\"x\\\"y\",reason=\"one\"} 1\n"},
		"a hostile label": {func(w *Exposition) {
			w.Value("a", 1, Label{"file", "/tmp/\"} 1\nb{c=\"\\\xff"})
		}, "a{file=\"/tmp/\\\"} 1\\nb{c=\\\"\\\\\uFFFD\"} 1\n"},
		"a hostile help": {func(w *Exposition) {
			w.Metric("a", "a \\ and\n# TYPE a \"counter\"\xff", false)
		}, "# HELP a a \\\\ and\\n# TYPE a \"counter\"\uFFFD\n# TYPE a gauge\n"},
		"values that are no numbers": {func(w *Exposition) {
			w.Value("a", math.NaN())
			w.Value("b", math.Inf(1))
		}, "a NaN\nb +Inf\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var w Exposition
			c.write(&w)
			if got := w.String(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
