package main

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A row is a build on a host, and the expected outcome.
type row struct {
	name      string
	build     build
	host      host
	arguments string // of the program core
	refuses   string // a pattern of the reason that Start must return; "": it must record
}

type outcome string

const (
	exact   outcome = "exact"
	refused outcome = "refused"
	skipped outcome = "skipped"
	failed  outcome = "FAILED"
)

// A result is the outcome of a row. The output is set if the program failed.
type result struct {
	row     row
	outcome outcome
	reason  string
	output  string
}

// patience is far more than any row takes, on a busy machine too: only a program that hangs is killed.
const patience = 10 * time.Minute

func (r row) run(shop *toolchain.Workshop) result {
	for _, n := range append(r.build.needs, r.host.needs...) {
		if missing := n(); missing != "" {
			return result{row: r, outcome: skipped, reason: missing}
		}
	}
	program, err := shop.Make(r.build.name, r.build.make)
	if err != nil {
		return result{row: r, outcome: failed, reason: "it does not build", output: err.Error()}
	}
	command, err := r.host.start(shop, program, r.words(program))
	if err != nil {
		return result{row: r, outcome: failed, reason: "no such host", output: err.Error()}
	}
	out, err := finish(command)
	return r.judge(string(out), err)
}

// words are the program's arguments.
func (r row) words(program string) []string {
	return strings.Fields(r.arguments + " " + strings.ReplaceAll(r.build.arguments, "PLUGIN", program+".so"))
}

// finish runs the command with a time limit. Its children may hold its output open when it is killed.
func finish(command *exec.Cmd) ([]byte, error) {
	command.WaitDelay = time.Second
	timer := time.AfterFunc(patience, func() { _ = command.Process.Kill() })
	defer timer.Stop()
	return command.CombinedOutput()
}

// The program's exit codes.
const (
	exitExact   = 0
	exitRefused = 3
)

func (r row) judge(output string, err error) result {
	code := exitExact
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		return result{r, failed, err.Error(), output}
	}
	last := output[strings.LastIndex(strings.TrimRight(output, "\n"), "\n")+1:]
	last = strings.TrimSpace(last)
	switch {
	case code == exitExact && r.refuses == "":
		return result{r, exact, "", output}
	case code == exitRefused && r.refuses != "" && regexp.MustCompile(r.refuses).MatchString(last):
		return result{r, refused, last, output}
	case code == exitRefused:
		return result{r, failed, "refused: " + last, output}
	case code == exitExact:
		return result{r, failed, "it recorded, where it had to refuse", output}
	}
	return result{r, failed, fmt.Sprint(err), output}
}
