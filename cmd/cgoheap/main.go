package main

import (
	"fmt"
	"io"
	"os"
	"slices"
)

// The exit codes. The greatest of all files counts.
const (
	exitGood = iota
	exitFaulty
	exitUnreadable
)

const usage = "usage: cgoheap top [-every TIME] [-n COUNT] [-json] URL|PID|FILE|BOX\n" +
	"       cgoheap dump [-o FILE] [-view VIEW] PID|CORE\n" +
	"       cgoheap recover [-o DIR] [-rm] [-view VIEW] FILE|DIR...\n" +
	"       cgoheap check FILE...\n" +
	"top shows what memory consists of, and what grows, live in a terminal or as text.\n" +
	"dump writes the profile of a process without its help, also of one that hangs, or left a core file.\n" +
	"recover writes that of the last moment of a process that was killed and had a black box.\n" +
	"check lists what readers of a profile will refuse or misread. cgoheap COMMAND -h has more."

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

var help = []string{"-h", "-help", "--help", "help"}

// run runs a command and returns the exit code.
func run(arguments []string, in io.Reader, out, trouble io.Writer) (code int) {
	if len(arguments) == 0 {
		fmt.Fprintln(trouble, usage)
		return exitUnreadable
	}
	command, rest := arguments[0], arguments[1:]
	switch {
	case slices.Contains(help, command):
		fmt.Fprintln(trouble, usage)
		return exitGood
	case command == "check" && len(rest) > 0 && slices.Contains(help, rest[0]):
		fmt.Fprintln(trouble, checkUsage)
		return exitGood
	case command == "check":
		return checkFiles(rest, in, out, trouble)
	case command == "top":
		return top(rest, in, out, trouble)
	case command == "dump":
		return dump(rest, out, trouble)
	case command == "recover":
		return recoverBoxes(rest, out, trouble)
	}
	fmt.Fprintf(trouble, "cgoheap: there is no command %q\n%s\n", command, usage)
	return exitUnreadable
}
