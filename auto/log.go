package auto

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
)

// reports passes each record to the default logger of that moment, because the program may set one after the import was
// initialized.
type reports struct {
	least  *slog.Level                     // nil: the program's logger decides
	refine func(slog.Handler) slog.Handler // adds the arguments of WithAttrs and WithGroup
}

func newReports(least *slog.Level) reports {
	return reports{least, func(h slog.Handler) slog.Handler { return h }}
}

func (r reports) handler() slog.Handler { return r.refine(slog.Default().Handler()) }

// Enabled asks the program's logger only where no level was set: a level below that logger's is printed too.
func (r reports) Enabled(ctx context.Context, level slog.Level) bool {
	if r.least != nil {
		return level >= *r.least
	}
	return r.handler().Enabled(ctx, level)
}

func (r reports) Handle(ctx context.Context, record slog.Record) error {
	return r.handler().Handle(ctx, record)
}

func (r reports) WithAttrs(attrs []slog.Attr) slog.Handler {
	return reports{r.least, func(h slog.Handler) slog.Handler { return r.refine(h).WithAttrs(attrs) }}
}

func (r reports) WithGroup(name string) slog.Handler {
	return reports{r.least, func(h slog.Handler) slog.Handler { return r.refine(h).WithGroup(name) }}
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
