//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// commandsIn returns the first block of commands below a heading of a document.
func commandsIn(t *testing.T, document, heading string) string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, below, found := strings.Cut(string(text), heading+"\n")
	_, block, open := strings.Cut(below, "```sh\n")
	commands, _, closed := strings.Cut(block, "```")
	if !found || !open || !closed {
		t.Fatalf("%s has no commands below %q", document, heading)
	}
	return commands
}

// working returns testdata/work.c, compiled, and an executable of the command.
func working(t *testing.T, more string) (path, command string) {
	t.Helper()
	_ = program(t) // needs gcc, too
	path, err := workshop.Make("work"+more, func(path string) error {
		return toolchain.Tool{Words: []string{"gcc", "-g", "-O1", "-Wl,--build-id", "-DMORE=" + more, "-o", path, "testdata/work.c"}}.Run()
	})
	if err != nil {
		t.Fatal(err)
	}
	command, err = workshop.Make("bin/cgoheap", func(path string) error {
		return toolchain.Tool{Words: []string{"go", "build", "-o", path, "."}}.Run()
	})
	if err != nil {
		t.Fatal(err)
	}
	return path, command
}

// The two lines of docs/ci.md compare a program with itself, and with one that allocates 3 % more.
func TestAnyProgramIsComparedAsTheDocumentSays(t *testing.T) {
	lines := commandsIn(t, "../../docs/ci.md", "## Any program")
	if strings.Count(lines, "\n") != 2 {
		t.Fatalf("not two lines: %q", lines)
	}
	same, command := working(t, "0")
	worse, _ := working(t, "1800") // 10 of them, of 600,000 bytes in all
	tables := forRuns(t)
	for name, c := range map[string]struct {
		after, with string
		code        int
		says        []string
	}{
		"the same program": {same, "-view inuse", 0, []string{"3 limits kept", "| kept | allocated &gt; 2% | 585 KiB | 585 KiB | unchanged | nothing |"}},
		"3 % more": {worse, "-view inuse", 1, []string{"2 of 3 limits exceeded", "| **exceeded** | allocated &gt; 2% | 585 KiB | 603 KiB | +17.6 KiB (+3.0 %) | nothing |",
			"| kept | allocations &gt; 2% |", "<pre>parse_document\nkeep_copy\nmain\n"}},
		"the same peak": {same, "-view peak", 0, []string{"1 limit kept", "unchanged"}},
		"a higher peak": {worse, "-view peak", 1, []string{"1 of 1 limit exceeded", "<pre>parse_document\nkeep_copy\nmain\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for link, to := range map[string]string{"before": same, "after": c.after} {
				if err := os.Symlink(to, link); err != nil {
					t.Fatal(err)
				}
			}
			script := strings.ReplaceAll(lines, "cgoheap run ", "cgoheap run -tables "+tables+" "+c.with+" ")
			if strings.Contains(c.with, "peak") {
				script = strings.Replace(script, "-fail 'allocated > 2%' -fail 'allocations > 2%' -fail 'in use > 4KiB'", "-fail 'peak > 5%'", 1)
			}
			run := exec.Command("sh", "-c", script)
			run.Env = append(os.Environ(), "PATH="+filepath.Dir(command)+":"+os.Getenv("PATH"))
			text, _ := run.CombinedOutput()
			comment, err := os.ReadFile("comment.md")
			if code := run.ProcessState.ExitCode(); code != c.code || err != nil {
				t.Errorf("exit code %d, %v\n%s%s", code, err, text, comment)
			}
			for _, says := range c.says {
				if !strings.Contains(string(comment), says) {
					t.Errorf("%q is not in\n%s", says, comment)
				}
			}
		})
	}
}
