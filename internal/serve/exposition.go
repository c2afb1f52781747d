package serve

import (
	"bytes"
	"strconv"
	"strings"
)

// contentType is the media type of the format.
const contentType = "text/plain; version=0.0.4; charset=utf-8"

// Exposition collects metrics in Prometheus's text format 0.0.4, which every scraper reads. The zero value is empty.
//
//	# HELP cgoheap_account_bytes resident bytes of each line of the account
//	# TYPE cgoheap_account_bytes gauge
//	cgoheap_account_bytes{line="malloc: in use"} 1.048576e+06
//
// The values of one metric stand together, below its HELP and TYPE. In HELP, backslashes and line ends are escaped; in the
// value of a label, quotes too. Bytes that are no UTF-8, which scrapers refuse, become U+FFFD.
type Exposition struct{ bytes.Buffer }

// Metric begins a metric. Its values follow. The name is that of a metric: letters, digits and underscores.
func (w *Exposition) Metric(name, help string, counter bool) {
	kind := "gauge"
	if counter {
		kind = "counter"
	}
	w.WriteString("# HELP " + name + " " + clean(helpEscapes.Replace(help)) + "\n# TYPE " + name + " " + kind + "\n")
}

// Label is the label of a value. One whose key is "" is none.
type Label struct{ Key, Value string }

// Value adds a value of the metric with this name, with labels.
func (w *Exposition) Value(name string, value float64, labels ...Label) {
	w.WriteString(name)
	before, after := "{", ""
	for _, l := range labels {
		if l.Key != "" {
			w.WriteString(before + l.Key + `="` + labelEscapes.Replace(clean(l.Value)) + `"`)
			before, after = ",", "}"
		}
	}
	w.WriteString(after + " " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

// clean returns text in which bytes that are no UTF-8 are replaced.
func clean(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)
