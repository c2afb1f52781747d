package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
)

// contender is a command that does the work and prints figures.
type contender struct {
	name    string
	command []string
	env     []string
	figures []figures // of each round
}

// figures are nanoseconds for one unit of the work, by two clocks.
type figures struct{ wall, cpu float64 }

func byWall(f figures) float64 { return f.wall }
func byCPU(f figures) float64  { return f.cpu }

// compete lets contenders that are paced take turns, each first in some rounds.
func compete(rounds int, all ...*contender) error {
	for i := range rounds {
		first := i % len(all)
		if err := round(slices.Concat(all[first:], all[:first])); err != nil {
			return err
		}
	}
	return nil
}

func round(all []*contender) error {
	var running []*turns
	for _, c := range all {
		t, err := c.start()
		if err != nil {
			return err
		}
		defer t.stop()
		running = append(running, t)
	}
	taken := make([][]figures, len(all))
	for range segments {
		for i, t := range running {
			f, err := t.take()
			if err != nil {
				return err
			}
			taken[i] = append(taken[i], f)
		}
	}
	for i, c := range all {
		c.figures = append(c.figures, figures{quartile(taken[i], byWall), quartile(taken[i], byCPU)})
	}
	return nil
}

// output returns what one turn prints on standard output and on standard error.
func (c *contender) output() (output, complaint []byte, err error) {
	command := exec.Command(c.command[0], c.command[1:]...)
	command.Env = append(os.Environ(), c.env...)
	var said bytes.Buffer
	command.Stderr = &said
	output, err = command.Output()
	if err != nil {
		err = fmt.Errorf("%s: %v: %w\n%s", c.name, command, err, said.Bytes())
	}
	return output, said.Bytes(), err
}

// run is one turn: the figures of each segment of the work.
func (c *contender) run() ([]figures, error) {
	output, complaint, err := c.output()
	if err != nil {
		return nil, err
	}
	var segments []figures
	for line := range bytes.Lines(output) {
		f, err := c.read(string(line))
		if err != nil {
			return nil, err
		}
		segments = append(segments, f)
	}
	if len(segments) == 0 {
		return nil, fmt.Errorf("%s: %v printed nothing\n%s", c.name, c.command, complaint)
	}
	return segments, nil
}

func (c *contender) read(line string) (f figures, err error) {
	if _, err := fmt.Sscan(line, &f.wall, &f.cpu); err != nil {
		return figures{}, fmt.Errorf("%s: %q: %w", c.name, line, err)
	}
	return f, nil
}
