package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/terminal"
)

// topping is what the flags of top say.
type topping struct {
	from   source
	every  time.Duration
	count  int
	asJSON bool
	source string
	first  *overview
}

func prepareTop(flags *flag.FlagSet) action {
	var t topping
	flags.DurationVar(&t.every, "every", 3*time.Second, "the `time` between two looks")
	flags.IntVar(&t.count, "n", 0, "print so many looks (`count`) as text and end (default 1, or on a terminal until q is pressed)")
	flags.BoolVar(&t.asJSON, "json", false, "print each look as a JSON object")
	t.from.service.add(flags, 30*time.Second)
	t.from.addRoot(flags)
	return func(s *streams, names []string) (int, error) {
		if len(names) != 1 {
			return exitUnreadable, errors.New("one address, process number, profile or black box is needed")
		}
		if t.every <= 0 || t.count < 0 {
			return exitUnreadable, errors.New("-every must be more than 0, and -n may not be negative")
		}
		if err := t.from.service.check(); err != nil {
			return exitUnreadable, err
		}
		ctx, stop := interruptible()
		defer stop()
		t.source = names[0]
		return exitGood, t.run(ctx, s)
	}
}

// interruptible is done when the command is told to end.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

var errInterrupted = errors.New("interrupted")

// await waits for do, or for the context. Who reads a pipe, a terminal or a disk that is gone is left alone then: the command ends.
func await(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go background.Run("reading", func() { done <- do() }, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errInterrupted
	}
}

func (t *topping) run(ctx context.Context, s *streams) error {
	p := targetOf(t.source)
	t.from.in, t.from.name, t.from.view.View = s.in, report.InUse.Name, report.InUse
	if p.pid > 0 {
		t.from.name, t.from.view.View = report.RSS.Name, report.RSS
	}
	var l *overview
	take := func() (err error) {
		if l, err = t.from.overview(ctx, p); err == nil {
			t.compare(l)
		}
		return err
	}
	if err := terminal.Progress(s.progress, "reading "+t.source, func() error { return await(ctx, take) }); err != nil {
		return err
	}
	if to, ok := s.raw.(*os.File); ok && t.count == 0 && !t.asJSON && terminal.Is(to) {
		return t.live(ctx, s.in, to, l, func() (*overview, error) { err := take(); return l, err })
	}
	for i := 1; ; i++ {
		if err := t.print(s.out, l); err != nil || i >= t.count {
			return err
		}
		select {
		case <-time.After(t.every):
		case <-ctx.Done():
			return nil
		}
		if err := await(ctx, take); err != nil {
			return err
		}
	}
}

// compare notes what grew since the first look.
func (t *topping) compare(l *overview) {
	if l.Source = t.source; l.Suspects == nil {
		l.Suspects = []suspect{}
	}
	if t.first == nil {
		t.first = l
	}
	before := make(map[string]int64, len(t.first.Lines))
	for _, p := range t.first.Lines {
		before[p.Name] = p.Bytes
	}
	for i := range l.Lines {
		l.Lines[i].Grew = l.Lines[i].Bytes - before[l.Lines[i].Name]
	}
}

func (t *topping) print(out io.Writer, l *overview) error {
	if t.asJSON {
		return json.NewEncoder(out).Encode(l.printed())
	}
	_, err := io.WriteString(out, strings.Join(t.lines(l, frame{columns: 80}), "\n")+"\n")
	return err
}

// live redraws the terminal until q or a signal. A look that fails later is told, and the last one stays.
func (t *topping) live(ctx context.Context, in io.Reader, to *os.File, l *overview, take func() (*overview, error)) (err error) {
	screen, err := terminal.Open(to, in)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, screen.Close()) }()
	type taken struct {
		seen *overview
		err  error
	}
	looks, due, failed := make(chan taken, 1), time.After(t.every), ""
	for {
		f := frame{colours: terminal.Colours(to), blocks: terminal.Unicode(), keys: true, failed: failed}
		f.columns, f.rows = terminal.Size(to)
		if err := screen.Draw(t.lines(l, f)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case key := <-screen.Keys:
			if key == 'q' || key == 'Q' {
				return nil
			}
		case <-screen.Resized:
		case <-due:
			due = nil
			go background.Run("looking", func() {
				l, err := take()
				looks <- taken{l, err}
			}, nil)
		case next := <-looks:
			due = time.After(t.every)
			if failed = ""; next.err != nil {
				failed = next.err.Error()
			} else {
				l = next.seen
			}
		}
	}
}
