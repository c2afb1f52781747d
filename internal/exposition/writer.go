package exposition

import (
	"bytes"
	"strconv"
	"strings"
)

// ContentType is the media type of the format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Writer collects the text. The zero value is empty.
type Writer struct{ bytes.Buffer }

// Metric begins a metric. Its values follow. The name is that of a metric: letters, digits and underscores.
func (w *Writer) Metric(name, help string, counter bool) {
	kind := "gauge"
	if counter {
		kind = "counter"
	}
	w.WriteString("# HELP " + name + " " + clean(helpEscapes.Replace(help)) + "\n# TYPE " + name + " " + kind + "\n")
}

// Label is the label of a value. One whose key is "" is none.
type Label struct{ Key, Value string }

// Value adds a value of the metric with this name, with labels.
func (w *Writer) Value(name string, value float64, labels ...Label) {
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
