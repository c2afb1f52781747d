//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// earlier puts a file of another process into dir that is so many hours old.
func earlier(t *testing.T, dir, name string, hours, bytes int) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, make([]byte, bytes), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-time.Duration(hours) * time.Hour)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	return name
}

func dumpOf(hours int) string {
	return fmt.Sprintf("%s.1.20260102T150405Z.%d.cgoheap.pb.gz", filepath.Base(os.Args[0]), hours)
}

func TestKeptDumps(t *testing.T) {
	const big = 1 << 20
	for about, c := range map[string]struct {
		dumps Dumps
		left  []int // ages in hours of those that are left, beside the new one
	}{
		"without bounds all are kept":                    {Dumps{}, []int{1, 2, 3, 4}},
		"the newest so many are kept, whoever made them": {Dumps{Keep: 3}, []int{1, 2}},
		"so many bytes are kept, the newest":             {Dumps{KeepBytes: 5 * big / 2}, []int{1, 2}},
		"the new one is kept, however large":             {Dumps{KeepBytes: 1}, nil},
		"of two bounds the one that keeps less holds":    {Dumps{Keep: 2, KeepBytes: 100 * big}, []int{1}},
		"as many as there are":                           {Dumps{Keep: 5}, []int{1, 2, 3, 4}},
	} {
		t.Run(about, func(t *testing.T) {
			p, log := startLogging(t)
			dir := t.TempDir()
			for hours := 1; hours <= 4; hours++ {
				earlier(t, dir, dumpOf(hours), hours, big)
			}
			d := c.dumps
			d.Dir, d.Signals = dir, defaultSignals
			stop, err := p.Dump(d)
			if err != nil {
				t.Fatal(err)
			}
			send(t, syscall.SIGUSR2)
			made := filepath.Base(log.next(t, slog.LevelInfo)["path"].String())
			stop()
			want := []string{made}
			for _, hours := range c.left {
				want = append(want, dumpOf(hours))
			}
			got := namesIn(t, dir)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestOnlyOwnFilesAreRemoved(t *testing.T) {
	p, log := startLogging(t)
	dir := t.TempDir()
	foreign := []string{
		earlier(t, dir, "other.1.20260102T150405Z.1.cgoheap.pb.gz", 9, 1),
		earlier(t, dir, dumpOf(1)+".kept", 9, 1),
		earlier(t, dir, filepath.Base(os.Args[0])+".cgoheap.pb.gz", 9, 1),
		earlier(t, dir, ".cgoheap-123.tmp", 0, 1), // somebody is writing it
	}
	left := earlier(t, dir, ".cgoheap-456.tmp", 2, 1)
	stop, err := p.Dump(Dumps{Dir: dir, Signals: defaultSignals, Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	send(t, syscall.SIGUSR2)
	log.next(t, slog.LevelInfo)
	stop()
	names := strings.Join(namesIn(t, dir), " ")
	for _, name := range foreign {
		if !strings.Contains(names, name) {
			t.Errorf("%s was removed", name)
		}
	}
	if strings.Contains(names, left) {
		t.Errorf("%s is left", left)
	}
}
