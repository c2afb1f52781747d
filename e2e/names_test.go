package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A position is a line of a function.
type position struct {
	function string // mangled, as the file has it
	file     string
	line     int
}

// positions returns a profile's own names of a location, innermost first.
func positions(location *profile.Location) []position {
	var all []position
	for _, line := range location.Line {
		all = append(all, position{line.Function.SystemName, line.Function.Filename, int(line.Line)})
	}
	return all
}

// fileOf returns the path of the file that a location is in; "" if it is unknown.
func fileOf(location *profile.Location) string {
	if location.Mapping == nil {
		return ""
	}
	return location.Mapping.File
}

// An addr2line is a running addr2line, the second road from an address to its names.
type addr2line struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

func newAddr2line(t *testing.T, file string, flags ...string) *addr2line {
	t.Helper()
	command := exec.Command(toolchain.Target(t).Tool(t, "addr2line"), append(flags, "-a", "-f", "-i", "-e", file)...)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := command.Wait(); err != nil {
			t.Errorf("%v: %v", command, err)
		}
	})
	return &addr2line{in, bufio.NewScanner(out)}
}

// endOfAnswer is an address that no file has: addr2line's output for it marks the end of the previous answer.
const endOfAnswer = ^uint64(0)

// positions looks one ELF address up. An unknown line is 0, and an address without a name has no position.
func (a *addr2line) positions(t *testing.T, address uint64) []position {
	t.Helper()
	fmt.Fprintf(a.in, "%#x\n%#x\n", address, endOfAnswer)
	var all []position
	a.line(t) // the address
	for {
		function := a.line(t)
		if strings.HasPrefix(function, "0xffffffffffffffff") {
			break
		}
		file, number, _ := strings.Cut(a.line(t), ":")
		number, _, _ = strings.Cut(number, " ") // " (discriminator 3)"
		line, _ := strconv.Atoi(number)         // "?" is 0
		all = append(all, position{function, filepath.Clean(file), line})
	}
	a.line(t)
	a.line(t)
	if all[0].function == "??" {
		return nil
	}
	return all
}

func (a *addr2line) line(t *testing.T) string {
	t.Helper()
	if !a.out.Scan() {
		t.Fatalf("addr2line ended: %v", a.out.Err())
	}
	return a.out.Text()
}
