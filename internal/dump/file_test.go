//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/self"
)

// A process of the same number in another container has made dumps with the numbers that come next, at all times that may be now.
func TestADumpReplacesNoFile(t *testing.T) {
	dir := t.TempDir()
	var others []string
	for number := dumps.Load() + 1; number <= dumps.Load()+2; number++ {
		for second := range 600 {
			then := time.Now().Add(time.Duration(second) * time.Second).UTC().Format(dumpTime)
			name := filepath.Join(dir, fmt.Sprintf("%s.%d.%s.%d%s", self.Name, os.Getpid(), then, number, dumpSuffix))
			if err := os.WriteFile(name, []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
			others = append(others, name)
		}
	}
	made := filepath.Join(dir, dumpOnce(t, Config{Dir: dir}))
	if _, ok := parseDump(self.Name, filepath.Base(made)); !ok {
		t.Errorf("%s is not a dump's name", made)
	}
	for _, name := range others {
		if text, err := os.ReadFile(name); err != nil || string(text) != "theirs" {
			t.Fatalf("%s: %v, %q", name, err, text)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, tempPattern)); len(left) > 0 || err != nil {
		t.Errorf("temporary files are left: %q, %v", left, err)
	}
}

func TestRenameReplacesNoFile(t *testing.T) {
	none := func(string, string) error { return syscall.EPERM } // of a file system without hard links
	for about, link := range map[string]func(from, to string) error{"with links": os.Link, "without links": none} {
		t.Run(about, func(t *testing.T) {
			dir := t.TempDir()
			from, taken, free := filepath.Join(dir, "from"), filepath.Join(dir, "taken"), filepath.Join(dir, "free")
			if err := errors.Join(os.WriteFile(from, []byte("ours"), 0o600), os.WriteFile(taken, []byte("theirs"), 0o600)); err != nil {
				t.Fatal(err)
			}
			if err := rename(from, taken, link); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a name that is taken: %v", err)
			}
			if err := rename(from, free, link); err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(taken); err != nil || string(text) != "theirs" {
				t.Errorf("%q, %v", text, err)
			}
			if text, err := os.ReadFile(free); err != nil || string(text) != "ours" {
				t.Errorf("%q, %v", text, err)
			}
			if _, err := os.Stat(from); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the old name is left: %v", err)
			}
		})
	}
}

func TestRenameThatFailsLeavesNoFile(t *testing.T) {
	to := filepath.Join(t.TempDir(), "to")
	if err := rename(to+".absent", to, os.Link); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file is left: %v", err)
	}
}
