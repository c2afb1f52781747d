package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/terminal"
)

const topUsage = "usage: cgoheap top [FLAGS] URL|PID|FILE|BOX\n" +
	"Shows what memory consists of, what grew since it began, and the suspects. URL is a service's address, or any of its cgoheap addresses; a\n" +
	"process is read from outside, which stops its threads for some tens of milliseconds at each look; FILE is a profile, BOX what a process left\n" +
	"that is gone (cgoheap.*.box). On a terminal it looks again and again until q or Ctrl-C; elsewhere it prints one look as text.\n" +
	"  cgoheap top http://localhost:8080\n  cgoheap top -every 10s 4711\n  cgoheap top -json -n 3 http://localhost:8080 | jq .rss"

// topping is what the flags of top say.
type topping struct {
	every, timeout time.Duration
	count          int
	asJSON         bool
	source         string
	first          *look
}

func parseTop(arguments []string, trouble io.Writer) (t topping, err error) {
	flags := flag.NewFlagSet("top", flag.ContinueOnError)
	flags.SetOutput(trouble)
	flags.Usage = func() {
		fmt.Fprintln(trouble, topUsage)
		flags.PrintDefaults()
	}
	flags.DurationVar(&t.every, "every", 3*time.Second, "the time between two looks")
	flags.DurationVar(&t.timeout, "timeout", 30*time.Second, "how long a service may take to answer")
	flags.IntVar(&t.count, "n", 0, "print so many looks as text and end (default 1, or on a terminal until q is pressed)")
	flags.BoolVar(&t.asJSON, "json", false, "print each look as a JSON object")
	if err := flags.Parse(arguments); err != nil {
		return t, err
	}
	switch t.source = flags.Arg(0); {
	case flags.NArg() != 1:
		return t, errors.New("one address, process number, profile or black box is needed")
	case t.every <= 0 || t.timeout <= 0 || t.count < 0:
		return t, errors.New("-every and -timeout must be more than 0, and -n may not be negative")
	}
	return t, nil
}

// top shows what memory consists of, and returns the exit code.
func top(arguments []string, in io.Reader, out, trouble io.Writer) (code int) {
	safe := terminal.Writer{To: trouble}
	t, err := parseTop(arguments, safe)
	if errors.Is(err, flag.ErrHelp) {
		return exitGood
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		err = t.run(ctx, in, out, trouble)
	}
	if err != nil {
		fmt.Fprintf(safe, "cgoheap top: %v\n", err)
		return exitUnreadable
	}
	return exitGood
}

func (t *topping) run(ctx context.Context, in io.Reader, out, trouble io.Writer) error {
	read := see(ctx, t.source, t.timeout)
	var l *look
	take := func() (err error) {
		if caught := background.Guard("reading "+t.source, func() { l, err = read() }); caught != nil {
			err = caught
		}
		if err == nil {
			t.compare(l)
		}
		return err
	}
	if err := terminal.Progress(trouble, "reading "+t.source, take); err != nil {
		return err
	}
	if to, ok := out.(*os.File); ok && t.count == 0 && !t.asJSON && terminal.Is(out) {
		return t.live(ctx, in, to, l, func() (*look, error) { err := take(); return l, err })
	}
	for i := 1; ; i++ {
		if err := t.print(terminal.Writer{To: out}, l); err != nil || i >= t.count {
			return err
		}
		select {
		case <-time.After(t.every):
		case <-ctx.Done():
			return nil
		}
		if err := take(); err != nil {
			return err
		}
	}
}

// compare notes what grew since the first look.
func (t *topping) compare(l *look) {
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

func (t *topping) print(out io.Writer, l *look) error {
	if t.asJSON {
		return json.NewEncoder(out).Encode(l)
	}
	_, err := io.WriteString(out, strings.Join(t.lines(l, frame{columns: 80}), "\n")+"\n")
	return err
}

// live redraws the terminal until q or a signal. A look that fails later is told, and the last one stays.
func (t *topping) live(ctx context.Context, in io.Reader, to *os.File, l *look, take func() (*look, error)) (err error) {
	screen, err := terminal.Open(to, in)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, screen.Close()) }()
	type taken struct {
		look *look
		err  error
	}
	looks, due, failed := make(chan taken, 1), time.After(t.every), ""
	for {
		f := frame{colours: terminal.Colours(to), blocks: terminal.Unicode(), failed: failed}
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
				l = next.look
			}
		}
	}
}
