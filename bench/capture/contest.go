package main

import (
	"bytes"
	"fmt"
	"math"
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

// compete lets the contenders take turns.
func compete(rounds int, all ...*contender) error {
	for range rounds {
		for _, c := range all {
			segments, err := c.run()
			if err != nil {
				return err
			}
			c.figures = append(c.figures, segments[len(segments)-1])
		}
	}
	return nil
}

// output is what one turn prints, and what it says beside.
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
		var f figures
		if _, err := fmt.Sscan(string(line), &f.wall, &f.cpu); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", c.name, line, err)
		}
		segments = append(segments, f)
	}
	if len(segments) == 0 {
		return nil, fmt.Errorf("%s: %v printed nothing\n%s", c.name, c.command, complaint)
	}
	return segments, nil
}

// measured is what the rounds of a contender say of one figure.
type measured struct{ median, least, spread float64 }

func (c *contender) measured(of func(figures) float64) measured {
	return summary(values(c.figures, of))
}

// summary has half of the distance between the quartiles, over the median, as the spread.
func summary(values []float64) measured {
	slices.Sort(values)
	at := func(share float64) float64 { return values[int(math.Round(share*float64(len(values)-1)))] }
	return measured{median: at(0.5), least: values[0], spread: (at(0.75) - at(0.25)) / 2 / at(0.5)}
}

// minus is the cost of a over b.
func (a measured) minus(b measured) measured {
	spread := math.Hypot(a.spread*a.median, b.spread*b.median)
	cost := measured{median: a.median - b.median, least: a.least - b.least}
	cost.spread = spread / math.Abs(cost.median)
	return cost
}

// over is what each of n things takes of it.
func (a measured) over(n float64) measured {
	return measured{median: a.median / n, least: a.least / n, spread: a.spread}
}

func values[T any](all []T, of func(T) float64) (list []float64) {
	for _, one := range all {
		list = append(list, of(one))
	}
	return list
}
