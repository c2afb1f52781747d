package message

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
)

// Handler passes records to the handler that To returns at that moment.
type Handler struct {
	To    func() slog.Handler
	Least *slog.Level // nil: the handler decides

	refine func(slog.Handler) slog.Handler // adds the arguments of WithAttrs and WithGroup
}

// Logger returns a logger that reports to the same place, and ends no program.
func Logger(l *slog.Logger) *slog.Logger {
	if _, is := l.Handler().(Handler); is {
		return l
	}
	return slog.New(Handler{To: l.Handler})
}

// Enabled asks the handler only where no level was set: a level below that handler's is passed on too.
func (h Handler) Enabled(ctx context.Context, level slog.Level) bool {
	if h.Least != nil {
		return level >= *h.Least
	}
	return h.refined(h.To()).Enabled(ctx, level)
}

// Handle passes a record on.
func (h Handler) Handle(ctx context.Context, record slog.Record) error {
	to := h.To()
	if file := fileOf(to); file != nil {
		line, err := h.line(ctx, record)
		if err != nil {
			return err
		}
		return write(file, line)
	}
	defer waitForBrokenPipes()()
	return h.refined(to).Handle(ctx, record)
}

// WithAttrs adds arguments to each record.
func (h Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(func(to slog.Handler) slog.Handler { return to.WithAttrs(attrs) })
}

// WithGroup puts later arguments into a group.
func (h Handler) WithGroup(name string) slog.Handler {
	return h.with(func(to slog.Handler) slog.Handler { return to.WithGroup(name) })
}

func (h Handler) with(more func(slog.Handler) slog.Handler) slog.Handler {
	before := h
	h.refine = func(to slog.Handler) slog.Handler { return more(before.refined(to)) }
	return h
}

func (h Handler) refined(to slog.Handler) slog.Handler {
	if h.refine == nil {
		return to
	}
	return h.refine(to)
}

// fileOf returns the file that a handler writes to by package log, as slog's first one does; nil for another.
func fileOf(h slog.Handler) *os.File {
	if fmt.Sprintf("%T", h) != "*slog.defaultHandler" {
		return nil
	}
	file, _ := log.Writer().(*os.File)
	return file
}

// line returns what slog's first handler prints, without the line of our code for which package log can be asked.
func (h Handler) line(ctx context.Context, record slog.Record) ([]byte, error) {
	bare := slog.NewRecord(record.Time, record.Level, record.Message, 0)
	head, err := text(ctx, bare, Handler{}.refined)
	if err != nil {
		return nil, err
	}
	whole, err := text(ctx, record, h.refined)
	if err != nil {
		return nil, err
	}
	var line bytes.Buffer
	log.New(&line, log.Prefix(), log.Flags()&^(log.Lshortfile|log.Llongfile)).
		Printf("%s %s%s", record.Level, record.Message, whole[len(head):])
	return line.Bytes(), nil
}

func text(ctx context.Context, record slog.Record, refine func(slog.Handler) slog.Handler) ([]byte, error) {
	var b bytes.Buffer
	err := refine(slog.NewTextHandler(&b, nil)).Handle(ctx, record)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
