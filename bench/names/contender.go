package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
)

// contender is a way to name addresses: a command that reads them from its input, one per line.
type contender struct {
	name    string
	command []string
	runs    []runFigures
}

type runFigures struct {
	wall      time.Duration
	processor time.Duration // of all threads, in the program and in the kernel
	second    time.Duration // only of ours
	kilobytes int64
	stopped   bool // it took more than patience
}

// patience is how long a run may take. A contender that needs longer runs only once.
const patience = 30 * time.Second

// ours is the index of our own contender.
const ours = 0

func contenders(p program, profilePath string) []*contender {
	found := []*contender{
		{name: "cgoheap", command: []string{os.Args[0], "-task=resolve", "-program=" + p.path}},
		{name: "addr2line -fiC", command: []string{"addr2line", "-afiC", "-e", p.path}},
		{name: "llvm-symbolizer", command: []string{"llvm-symbolizer", "--inlines", "--demangle", "--obj=" + p.path}},
		{name: "google/pprof", command: []string{"go", "tool", "pprof", "-symbolize=force", "-raw", profilePath}},
	}
	return slices.DeleteFunc(found, func(c *contender) bool {
		_, err := exec.LookPath(c.command[0])
		if err != nil {
			fmt.Fprintln(os.Stderr, "names: left out:", err)
		}
		return err != nil
	})
}

// measure prints the table's rows of one program.
func measure(p program, rounds, count int) error {
	addresses, err := exec.Command(os.Args[0], "-task=choose", "-program="+p.path, fmt.Sprint("-addresses=", count)).Output()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "names")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	profilePath := filepath.Join(folder, "unnamed.pb.gz")
	if err := writeProfile(profilePath, p.path, addresses); err != nil {
		return err
	}
	all := contenders(p, profilePath)
	for range rounds {
		for _, c := range all {
			if len(c.runs) > 0 && c.runs[0].stopped {
				continue
			}
			figures, err := c.run(addresses)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			c.runs = append(c.runs, figures)
		}
	}
	printRows(p, all)
	return nil
}

// run measures one process. The kernel includes this process's own memory in the child's peak, because the two share it
// until the child runs its program: so this process does nothing that takes memory.
func (c *contender) run(addresses []byte) (runFigures, error) {
	limited, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command := exec.CommandContext(limited, c.command[0], c.command[1:]...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with what it starts, to be stopped together
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	var second bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(addresses), io.Discard, &second
	start := time.Now()
	if err := command.Run(); limited.Err() != nil {
		return runFigures{wall: patience, stopped: true}, nil
	} else if err != nil {
		return runFigures{}, fmt.Errorf("%w: %s", err, second.Bytes())
	}
	figures := runFigures{wall: time.Since(start)}
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		figures.kilobytes = usage.Maxrss
		figures.processor = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	_, _ = fmt.Sscan(second.String(), &figures.second)
	return figures, nil
}

// writeProfile writes the addresses as a profile without names, for google/pprof.
func writeProfile(path, program string, addresses []byte) error {
	mapping := &profile.Mapping{ID: 1, Limit: 1<<64 - 1, File: program}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}},
		Mapping:    []*profile.Mapping{mapping},
	}
	for i, line := range strings.Fields(string(addresses)) {
		l := &profile.Location{ID: uint64(i + 1), Mapping: mapping}
		if _, err := fmt.Sscanf(line, "0x%x", &l.Address); err != nil {
			return err
		}
		p.Location = append(p.Location, l)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{1}})
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := p.Write(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
