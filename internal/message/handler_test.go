package message

import (
	"context"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// printed returns what the default logger's file has after use.
func printed(t *testing.T, use func(*slog.Logger), logger *slog.Logger) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer log.SetOutput(log.Writer())
	log.SetOutput(file)
	use(logger)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLinesAreTheDefaultLoggers(t *testing.T) {
	defer log.SetFlags(log.Flags())
	defer log.SetPrefix(log.Prefix())
	log.SetFlags(log.Lmsgprefix)
	log.SetPrefix("service: ")
	use := func(l *slog.Logger) {
		l.Info("bare")
		l.Warn("two words", "a", 1, "b", "x y", "level", 3)
		l.With("msg", 1).WithGroup("g").Error("with \"quotes\"\tand more", slog.Any("e", io.EOF), slog.Group("h", "i", 2))
		l.Debug("below the level")
	}
	want, got := printed(t, use, slog.Default()), printed(t, use, Logger(slog.Default()))
	if got != want || !strings.Contains(got, "service: INFO bare\n") {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestALevelIsAboveOrBelowTheHandlers(t *testing.T) {
	for level, want := range map[slog.Level]bool{slog.LevelDebug: true, slog.LevelError: false} {
		h := Handler{To: slog.Default().Handler, Least: &level}
		if got := h.Enabled(context.Background(), slog.LevelInfo); got != want {
			t.Errorf("%v: %v", level, got)
		}
	}
}

func TestALoggerIsWrappedOnce(t *testing.T) {
	once := Logger(slog.Default())
	if Logger(once) != once {
		t.Error("twice")
	}
}
