package main

import (
	"fmt"
	"os"
	"os/exec"
)

// serviceParts are the parts that service prints lines for, in its order.
var serviceParts = []string{"SQLite inserts", "SQLite selects", "zstd, a document of 80 KB and back", "C++ JSON parser, the same document",
	"all of the run"}

// runsOfService compares a service that samples at 512 KiB with the same one without cgoheap.
func runsOfService(s setup) error {
	var programs [2]string
	for i, tags := range []string{"service", "service,without"} {
		path, err := built(fmt.Sprint("service-", i), func(path string) *exec.Cmd {
			return exec.Command("go", "build", "-tags", tags, "-o", path, "./capture/service")
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "capture: the service is left out, because it cannot be built (Debian: libzstd-dev, nlohmann-json3-dev):", err)
			return nil
		}
		programs[i] = path
	}
	with := &contender{name: "with", command: []string{programs[0], fmt.Sprint("-sample=", 512<<10)}}
	without := &contender{name: "without", command: []string{programs[1]}}
	figures, err := s.parts(len(serviceParts), with, without)
	if err != nil {
		return err
	}
	s.table.head("A service, sampled every 512 KiB", "microseconds of processor time per operation", "with", "without")
	for i, about := range serviceParts {
		s.table.print(line{about, summary(figures[0][i]), summary(figures[1][i]), target{most: 1.01}})
	}
	return nil
}

// parts lets contenders take turns that print a line for each part of their work: the processor's microseconds, by
// contender, part and round.
func (s setup) parts(count int, all ...*contender) ([][][]float64, error) {
	found := make([][][]float64, len(all))
	for i := range all {
		found[i] = make([][]float64, count)
	}
	for range s.rounds {
		for i, c := range all {
			lines, err := c.run()
			if err != nil {
				return nil, err
			}
			if len(lines) != count {
				return nil, fmt.Errorf("%s prints %d lines, not %d", c.name, len(lines), count)
			}
			for part, f := range lines {
				found[i][part] = append(found[i][part], f.cpu/1000)
			}
		}
	}
	return found, nil
}
