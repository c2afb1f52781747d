package auto

import (
	"errors"
	"log/slog"
	"math"
	"strings"

	"github.com/cgoheap/cgoheap/internal/message"
)

// newReports passes each record to the default logger of that moment, because the program may set one after the import was
// initialized.
func newReports(least *slog.Level) slog.Handler {
	return message.Handler{To: func() slog.Handler { return slog.Default().Handler() }, Least: least}
}

// parseLevel accepts debug, info, warn, error, and off, which is above all levels.
func parseLevel(value string) (*slog.Level, error) {
	level := slog.Level(math.MaxInt)
	switch strings.ToLower(value) {
	case "none", "off", "no":
		return &level, nil
	}
	if level.UnmarshalText([]byte(value)) != nil {
		return nil, errors.New("it must be debug, info, warn, error or off")
	}
	return &level, nil
}
