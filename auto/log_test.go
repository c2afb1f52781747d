package auto

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// logsTo has the program's default logger write into a buffer until the end of the test.
func logsTo(t *testing.T, level slog.Level) *bytes.Buffer {
	t.Helper()
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	var text bytes.Buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: level})))
	return &text
}

func TestReports(t *testing.T) {
	log := slog.New(newReports(nil)).With("a", 1).WithGroup("g")

	t.Run("go to the default logger that the program set later", func(t *testing.T) {
		text := logsTo(t, slog.LevelInfo)
		log.Info("one", "b", 2)
		if !strings.Contains(text.String(), "msg=one a=1 g.b=2") {
			t.Error(text)
		}
	})

	t.Run("keep to that logger's level", func(t *testing.T) {
		text := logsTo(t, slog.LevelWarn)
		if log.Info("one"); text.Len() > 0 {
			t.Error(text)
		}
	})

	t.Run("keep to a level that was set, above and below the logger's", func(t *testing.T) {
		for value, want := range map[string]string{"debug": "debug info warn error ", "Info": "info warn error ", "error": "error ", "off": ""} {
			text := logsTo(t, slog.LevelWarn)
			level, err := parseLevel(value)
			if err != nil {
				t.Fatal(err)
			}
			log := slog.New(newReports(level))
			log.Debug("debug")
			log.Info("info")
			log.Warn("warn")
			log.Error("error")
			got := ""
			for line := range strings.Lines(text.String()) {
				_, message, _ := strings.Cut(strings.TrimSpace(line), "msg=")
				got += message + " "
			}
			if got != want {
				t.Errorf("%s: %q, want %q", value, got, want)
			}
		}
	})
}
