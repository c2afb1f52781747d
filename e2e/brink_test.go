package e2e

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

const brinkStacks = 20_000

// A dump at high water is written when memory is nearly used up. It must not be what kills the process: the kernel kills it
// if the dump takes more than the group's limit leaves. Where there is swap space, more than that may fit.
func TestTheDumpAtHighWaterFitsInto24MiB(t *testing.T) {
	long(t)
	if toolchain.Target(t).Emulated() {
		t.Skip("an emulator's own memory would count")
	}
	g := memoryGroup(t)
	dir := t.TempDir()
	command := g.command(made(t, "brink", nil, "go", "build", "./brink"), largeLibrary(t), strconv.Itoa(brinkStacks))
	command.Env = append(os.Environ(), "CGOHEAP_SAMPLE_BYTES=1", "CGOHEAP_SIGNAL=off", "CGOHEAP_LOG=info",
		"CGOHEAP_DUMP_DIR="+dir, "CGOHEAP_HIGH_CGROUP=0.1")
	input, _ := command.StdinPipe()
	output, _ := command.StdoutPipe()
	log, _ := command.StderrPipe()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // before the group is removed
		command.Process.Kill()
		command.Wait()
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); err == nil {
		t.Log(strings.TrimSpace(line))
		g.leave(t, 24<<20)
	}
	said := logged(log, "cgoheap: dump")
	input.Close()
	rest, _ := io.ReadAll(log)
	if err := command.Wait(); err != nil {
		t.Fatalf("%v\n%s%s", err, said, rest)
	}
	t.Logf("%s", said)
	checkBrink(t, dir)
}

// logged reads until a line has that text, or until the log ends.
func logged(log io.Reader, text string) string {
	var said strings.Builder
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		if err != nil || strings.Contains(line, text) {
			return said.String()
		}
	}
}

// checkBrink checks that the profile is whole, and has not saved memory by leaving something out.
func checkBrink(t *testing.T, dir string) {
	t.Helper()
	dumps, err := filepath.Glob(filepath.Join(dir, "*.cgoheap.pb.gz"))
	if err != nil || len(dumps) != 1 {
		t.Fatalf("%q, %v", dumps, err)
	}
	data, err := os.ReadFile(dumps[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	whole := make(map[string]bool)
	for _, s := range p.Sample {
		if named := longNames(s.Location); strings.Count(named, "\n") == 20 && s.Value[2] == 1 && s.Value[3] == 64 {
			whole[named] = true
		}
	}
	if len(whole) != brinkStacks {
		t.Errorf("%d stacks of %d are whole and different, with a line for each frame", len(whole), brinkStacks)
	}
	t.Logf("%d functions, %d KiB", len(p.Function), len(data)>>10)
}

// longNames returns the library's functions in a stack that have lines, one per line.
func longNames(stack []*profile.Location) string {
	var names strings.Builder
	for _, location := range stack {
		for _, line := range location.Line {
			if line.Line > 0 && strings.HasPrefix(line.Function.Name, longName) {
				names.WriteString(line.Function.Name[len(longName):] + "\n")
			}
		}
	}
	return names.String()
}
