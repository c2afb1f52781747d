//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/self"
)

// earlier puts a file of another process into dir that was modified that many hours ago.
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

// began is when the tests began, so that a name always has the same time.
var began = time.Now()

// dumpOf is the name of a dump that another process made the given number of hours ago, or will make.
func dumpOf(hours int) string {
	then := began.Add(-time.Duration(hours) * time.Hour)
	return fmt.Sprintf("%s.1.%s.1.cgoheap.pb.gz", self.Name, then.UTC().Format(dumpTime))
}

// dumpOnce makes a dump and returns its name.
func dumpOnce(t *testing.T, bounds Config) string {
	t.Helper()
	c, log := logging()
	c.Keep, c.KeepBytes = bounds.Keep, bounds.KeepBytes
	stop := dumpInto(t, c, bounds.Dir)
	send(t, syscall.SIGUSR2)
	made := filepath.Base(log.next(t, slog.LevelInfo)["path"].String())
	stop()
	return made
}

func TestKeptDumps(t *testing.T) {
	const big = 1 << 20
	for about, c := range map[string]struct {
		dumps Config
		left  []int // ages in hours of the dumps that are left, beside the new one
	}{
		"without bounds all are kept":                    {Config{}, []int{1, 2, 3, 4}},
		"the newest so many are kept, whoever made them": {Config{Keep: 3}, []int{1, 2}},
		"so many bytes are kept, the newest":             {Config{KeepBytes: 5 * big / 2}, []int{1, 2}},
		"the new one is kept, however large":             {Config{KeepBytes: 1}, nil},
		"of two bounds the one that keeps less holds":    {Config{Keep: 2, KeepBytes: 100 * big}, []int{1}},
		"as many as there are":                           {Config{Keep: 5}, []int{1, 2, 3, 4}},
	} {
		t.Run(about, func(t *testing.T) {
			dir := t.TempDir()
			for hours := 1; hours <= 4; hours++ {
				earlier(t, dir, dumpOf(hours), 5-hours, big) // the files' own times are the other way round
			}
			d := c.dumps
			d.Dir = dir
			made := dumpOnce(t, d)
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

// The file beside a dump counts with it, and goes with it.
func TestFilesBesideDumpsCount(t *testing.T) {
	dir := t.TempDir()
	for hours := 1; hours <= 4; hours++ {
		earlier(t, dir, dumpOf(hours), 0, 10)
		earlier(t, dir, besideOf(dumpOf(hours)), 0, 1<<20)
	}
	made := dumpOnce(t, Config{Dir: dir, KeepBytes: 5 << 19})
	want := []string{made, dumpOf(1), besideOf(dumpOf(1)), dumpOf(2), besideOf(dumpOf(2))}
	got := namesIn(t, dir)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOnlyOwnFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	foreign := []string{"other.1.20260102T150405Z.1.cgoheap.pb.gz", dumpOf(1) + ".kept", self.Name + ".cgoheap.pb.gz"}
	for _, named := range []string{"before.the.fix", "1.20260102T150405Z.1.old", "01.20260102T150405Z.1", "0.20260102T150405Z.1",
		"-1.20260102T150405Z.1", "1.20260102T150405.1", "1.20261302T150405Z.1", "1.20260102T150405Z.0", "1.20260102T150405Z.x",
		"a.20260102T150405Z.1", "1.20260102T150405Z", "99999999999.20260102T150405Z.1"} {
		foreign = append(foreign, self.Name+"."+named+".cgoheap.pb.gz")
	}
	for _, name := range append(foreign, ".cgoheap-mine.tmp", ".cgoheap-.tmp") {
		earlier(t, dir, name, 9, 1)
	}
	writing := earlier(t, dir, ".cgoheap-123.tmp", 0, 1) // another process, to a disk that is slow
	begun := time.Now().Add(-30 * time.Minute)
	if err := os.Chtimes(filepath.Join(dir, writing), begun, begun); err != nil {
		t.Fatal(err)
	}
	foreign = append(foreign, ".cgoheap-mine.tmp", ".cgoheap-.tmp", writing)
	if err := os.Mkdir(filepath.Join(dir, dumpOf(7)), 0o700); err != nil {
		t.Fatal(err)
	}
	foreign = append(foreign, dumpOf(7))
	removed := []string{earlier(t, dir, ".cgoheap-456.tmp", 2, 1), earlier(t, dir, dumpOf(2), 0, 1)}
	made := dumpOnce(t, Config{Dir: dir, Keep: 1})
	left := namesIn(t, dir)
	for _, name := range append(foreign, made) {
		if !slices.Contains(left, name) {
			t.Errorf("%s was removed", name)
		}
	}
	for _, name := range removed {
		if slices.Contains(left, name) {
			t.Errorf("%s is left", name)
		}
	}
}

func TestTheDumpJustWrittenStays(t *testing.T) {
	t.Run("whatever time another file has, in its name or of its own", func(t *testing.T) {
		dir := t.TempDir()
		earlier(t, dir, dumpOf(2), -1000, 1)
		earlier(t, dir, dumpOf(-1000), 0, 1)
		made := dumpOnce(t, Config{Dir: dir, Keep: 1})
		if left := namesIn(t, dir); !slices.Equal(left, []string{made}) {
			t.Errorf("%q, want %s", left, made)
		}
	})

	t.Run("and so does another user's file", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root can give a file away")
		}
		dir := t.TempDir()
		theirs := earlier(t, dir, dumpOf(2), 9, 1)
		temporary := earlier(t, dir, ".cgoheap-456.tmp", 2, 1)
		for _, name := range []string{theirs, temporary} {
			if err := os.Chown(filepath.Join(dir, name), 65534, -1); err != nil {
				t.Fatal(err)
			}
		}
		made := dumpOnce(t, Config{Dir: dir, Keep: 1})
		if left := namesIn(t, dir); !slices.Contains(left, theirs) || !slices.Contains(left, temporary) || !slices.Contains(left, made) {
			t.Errorf("%q are left", left)
		}
	})
}

// Two processes that write at the same time and see each other's dump must not both remove it.
func TestProcessesThatDumpTogether(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Second)
	var made []dumpFile
	for pid := uint64(1); pid <= 3; pid++ {
		made = append(made, dumpFile{name: fmt.Sprint(pid), time: now, pid: pid, number: 1, bytes: 1})
	}
	for keep := 1; keep <= 4; keep++ {
		d := retention{keep: keep}
		removed := make(map[string]bool)
		for _, own := range made {
			for _, f := range d.tooMany(made, own.name, now) {
				if newer(f, own) < 0 {
					t.Errorf("%s removes the newer %s", own.name, f.name)
				}
				removed[f.name] = true
			}
		}
		if left := len(made) - len(removed); left != min(keep, len(made)) {
			t.Errorf("%d are left, want %d", left, keep)
		}
	}
}
