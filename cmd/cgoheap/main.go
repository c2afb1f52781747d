package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/plain"
)

// The exit codes. The greatest of all files counts.
const (
	exitGood = iota
	exitFaulty
	exitUnreadable
)

// exitCodes describes them.
var exitCodes = [...]string{
	exitGood:   "all is well",
	exitFaulty: "the command has found something wrong, and says what",
	exitUnreadable: "the command was called in a wrong way, or something could not be read or written, or is not what it should be. " +
		"cgoheap run has the program's exit code instead; 2 of a program's 0 if a profile that it was asked for is missing",
}

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// streams are what a command reads and writes. Names in binaries and answers of services are foreign text, so all but profiles
// goes through out and trouble, which escape what a terminal would obey.
type streams struct {
	in           io.Reader
	raw          io.Writer // standard output as it is: for profiles, and for a screen that is redrawn
	out, trouble io.Writer
	progress     io.Writer // standard error as it is: for terminal.Progress
}

var (
	help    = []string{"-h", "-help", "--help", "help"}
	version = []string{"-version", "--version", "version"}
)

// run runs a command and returns the exit code.
func run(arguments []string, in io.Reader, out, trouble io.Writer) (code int) {
	s := &streams{in: in, raw: out, out: &plain.Writer{To: out}, trouble: &plain.Writer{To: trouble}, progress: trouble}
	if len(arguments) == 0 {
		fmt.Fprint(s.trouble, usage())
		return exitUnreadable
	}
	name, rest := arguments[0], arguments[1:]
	if slices.Contains(help, name) {
		if len(rest) == 0 {
			fmt.Fprint(s.out, usage())
			return exitGood
		}
		name, rest = rest[0], []string{"-h"}
	}
	if slices.Contains(version, name) {
		fmt.Fprintln(s.out, built())
		return exitGood
	}
	list := commands()
	at := slices.IndexFunc(list, func(c command) bool { return c.name == name })
	if at < 0 {
		names := make([]string, len(list))
		for i, c := range list {
			names[i] = c.name
		}
		fmt.Fprintf(s.trouble, "cgoheap: there is no command %q%s (cgoheap -h lists the commands)\n", name, meant(name, names))
		return exitUnreadable
	}
	code, err := list[at].run(s, rest)
	if err != nil {
		fmt.Fprintf(s.trouble, "cgoheap %s: %v\n", name, err)
		return exitUnreadable
	}
	return code
}

// run parses the flags and does what the command does.
func (c *command) run(s *streams, arguments []string) (code int, err error) {
	flags, act := c.flags()
	names, err := c.parse(flags, arguments)
	if errors.Is(err, flag.ErrHelp) {
		_, err := io.WriteString(s.out, c.help())
		return exitGood, err
	}
	if err != nil {
		_, flagged, _ := strings.Cut(err.Error(), "not defined: -")
		var known []string
		flags.VisitAll(func(f *flag.Flag) { known = append(known, f.Name) })
		return exitUnreadable, fmt.Errorf("%w%s (cgoheap %s -h lists the flags)", err, meant(flagged, known), c.name)
	}
	return act(s, names)
}

// flags returns the command's flags, and the function that runs it once they are parsed.
func (c *command) flags() (*flag.FlagSet, action) {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags, c.prepare(flags)
}

// parse parses the flags. Behind a program's name they are the program's.
func (c *command) parse(flags *flag.FlagSet, arguments []string) (names []string, err error) {
	if c.program {
		err = flags.Parse(arguments)
		return flags.Args(), err
	}
	return parse(flags, arguments)
}

// parse parses flags before, between and after other arguments, which it returns. None is a flag that comes after "--".
func parse(flags *flag.FlagSet, arguments []string) (names []string, err error) {
	for {
		if err := flags.Parse(arguments); err != nil {
			return nil, err
		}
		rest := flags.Args()
		ended := len(rest) < len(arguments) && arguments[len(arguments)-len(rest)-1] == "--"
		if ended || len(rest) == 0 {
			return append(names, rest...), nil
		}
		names, arguments = append(names, rest[0]), rest[1:]
	}
}
