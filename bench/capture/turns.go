package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// turns is a contender that runs, and waits for its turn.
type turns struct {
	*contender
	process   *exec.Cmd
	input     io.WriteCloser
	output    *bufio.Reader
	complaint bytes.Buffer
}

func (c *contender) start() (*turns, error) {
	t := &turns{contender: c, process: exec.Command(c.command[0], c.command[1:]...)}
	t.process.Env = append(os.Environ(), c.env...)
	t.process.Stderr = &t.complaint
	var err error
	if t.input, err = t.process.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := t.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.output = bufio.NewReader(output)
	return t, t.process.Start()
}

// take is one turn: the next segment.
func (t *turns) take() (figures, error) {
	if _, err := io.WriteString(t.input, "\n"); err != nil {
		return figures{}, t.failed(err)
	}
	line, err := t.output.ReadString('\n')
	if err != nil {
		return figures{}, t.failed(err)
	}
	return t.read(line)
}

func (t *turns) failed(err error) error {
	t.stop()
	return fmt.Errorf("%s: %v: %w\n%s", t.name, t.process, err, t.complaint.Bytes())
}

// stop ends it at any point: it has already printed its measurements.
func (t *turns) stop() {
	_ = t.input.Close()
	_ = t.process.Process.Kill()
	_ = t.process.Wait()
}
