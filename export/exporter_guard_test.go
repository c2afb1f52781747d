package export

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestPanicOfTheExporterIsReported(t *testing.T) {
	var text bytes.Buffer
	e := &Exporter{counters: &counters{logger: slog.New(slog.NewTextHandler(&text, nil))}}
	e.guard("the test", func() { panic("boom") })
	if !strings.Contains(text.String(), "level=ERROR") || !strings.Contains(text.String(), "the test panicked: boom") {
		t.Error(text.String())
	}
}
