package symbolize

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestAPerfMapIsReadOnlyIfThisProcessMayHaveWrittenIt(t *testing.T) {
	write := func(t *testing.T, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "perf.map")
		if err := os.WriteFile(path, []byte("1000 10 f\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for about, c := range map[string]struct {
		path func(t *testing.T) string
		want bool
	}{
		"its own":                {func(t *testing.T) string { return write(t, 0o644) }, true},
		"one that all may write": {func(t *testing.T) string { return write(t, 0o666) }, false},
		"none":                   {func(t *testing.T) string { return filepath.Join(t.TempDir(), "none") }, false},
		"a directory":            {func(t *testing.T) string { return t.TempDir() }, false},
		"one that nobody writes to any more": {func(t *testing.T) string {
			path := write(t, 0o600)
			if err := os.Chtimes(path, time.Time{}, began.Add(-time.Second)); err != nil {
				t.Fatal(err)
			}
			return path
		}, false},
		"a link to its own": {func(t *testing.T) string {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(write(t, 0o600), link); err != nil {
				t.Fatal(err)
			}
			return link
		}, false},
		"a pipe, which nobody writes to": {func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "pipe")
			if err := unix.Mkfifo(path, 0o600); err != nil {
				t.Skip(err)
			}
			return path
		}, false},
		"another user's": {func(t *testing.T) string {
			path := write(t, 0o644)
			if err := os.Chown(path, 12345, -1); err != nil {
				t.Skip(err)
			}
			return path
		}, false},
	} {
		t.Run(about, func(t *testing.T) {
			file, err := openPerfMap(c.path(t))
			if file != nil {
				defer file.Close()
			}
			if (err == nil) != c.want {
				t.Errorf("%v", err)
			}
		})
	}
}
