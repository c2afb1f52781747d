//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package recovery_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// Each hinders no other, and none is looked at twice.
func TestWhatCannotBeRecovered(t *testing.T) {
	dir := toolchain.Memory(t)
	good, whole := dead(t, dir)
	version, full := bytes.Clone(whole), bytes.Clone(whole)
	version[layout.HeaderVersion]++
	full[layout.HeaderMissing] = 1
	for name, text := range map[string][]byte{"text": []byte("no box"), "version": version, "short": whole[:len(whole)/2], "full": full, "empty": nil} {
		if err := os.WriteFile(boxCalled(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link, fifo := boxCalled(dir, "link"), boxCalled(dir, "fifo")
	if err := errors.Join(os.Symlink(good, link), unix.Mkfifo(fifo, 0o600)); err != nil {
		t.Fatal(err)
	}
	left := []string{fifo, link}
	if os.Geteuid() == 0 {
		others := boxCalled(dir, "others")
		if err := errors.Join(os.WriteFile(others, whole, 0o600), os.Chown(others, 12345, 12345)); err != nil {
			t.Fatal(err)
		}
		left = append(left, others)
	}
	found, log := run(dir, 10)
	if len(found) != 1 || strings.Count(log, "set aside") != 3 || strings.Count(log, "left alone") != len(left) || strings.Count(log, "volume was full") != 1 {
		t.Errorf("%d found, %s", len(found), log)
	}
	if got := named(t, dir, "*.box"); strings.Join(got, "\n") != strings.Join(left, "\n") {
		t.Errorf("%q are left, want %q", got, left)
	}
	if aside := named(t, dir, "*.unreadable"); len(aside) != 3 {
		t.Errorf("%q", aside)
	}
	if _, log := run(dir, 10); strings.Contains(log, "set aside") {
		t.Errorf("again: %s", log)
	}
}

// A start under a limit that is too low for a box leaves it to the next.
func TestABoxForWhichThereIsNoMemoryStays(t *testing.T) {
	dir := toolchain.Memory(t)
	path, head := dead(t, dir)
	const large = 64 << 30
	binary.NativeEndian.PutUint64(head[layout.HeaderSize:], large)
	binary.NativeEndian.PutUint64(head[layout.HeaderUsed:], large)
	if err := errors.Join(os.WriteFile(path, head, 0o600), os.Truncate(path, large)); err != nil {
		t.Fatal(err)
	}
	free := addressesLeft(t, large/2)
	found, log := run(dir, 10)
	free()
	if len(found) > 0 || !strings.Contains(log, "cannot be read now, and stays") || !strings.Contains(log, "cannot allocate memory") {
		t.Errorf("%d found, %s", len(found), log)
	}
	if got := named(t, dir, "*.box"); len(got) != 1 {
		t.Errorf("%q are left", got)
	}
}

// addressesLeft lets the process have so many bytes of addresses more.
func addressesLeft(t *testing.T, bytes uint64) (free func()) {
	t.Helper()
	var before unix.Rlimit
	statm, err := os.ReadFile("/proc/self/statm")
	if err := errors.Join(err, unix.Getrlimit(unix.RLIMIT_AS, &before)); err != nil {
		t.Fatal(err)
	}
	var pages uint64
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: pages*uint64(os.Getpagesize()) + bytes, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unix.Setrlimit(unix.RLIMIT_AS, &before); err != nil {
			t.Error(err)
		}
	}
}

// writeSparse writes a file with a hole where the text ends in zeroes.
func writeSparse(path string, text []byte) error {
	return errors.Join(os.WriteFile(path, bytes.TrimRight(text, "\x00"), 0o600), os.Truncate(path, int64(len(text))))
}

// A start on a volume with little room or none records in memory, and what a process leaves there hinders nobody.
func TestAStartWhereTheVolumeIsFull(t *testing.T) {
	long(t)
	for _, free := range []int{0, 4 << 10, 64 << 10, 512 << 10} {
		t.Run(fmt.Sprint(free), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := unix.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
				t.Skip("needs root, to mount a volume: ", err)
			}
			t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
			if err := os.WriteFile(filepath.Join(dir, "fill"), make([]byte, 1<<20-free), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second finds what the first has left
				begin(t, dir).kill()
			}
			found, log := run(dir, 10)
			if len(found) > 0 && free < 512<<10 || strings.Contains(log, "ERROR") || strings.Contains(log, "set aside") {
				t.Errorf("with %d bytes free: %+v, %s", free, found, log)
			}
			if left := named(t, dir, "*.box*"); len(left) > 0 {
				t.Errorf("with %d bytes free: %q are left", free, left)
			}
		})
	}
}

// Those of a program beyond the bound are removed, the oldest, and so are dumps beyond it.
func TestManyBoxes(t *testing.T) {
	boxes, keep := 100, 5
	if testing.Short() {
		boxes, keep = 6, 3
	}
	dir := toolchain.Memory(t)
	_, whole := dead(t, dir)
	others := whole[layout.HeaderStarted+1] + 1
	started := func(n int) []byte { // another process's
		text := bytes.Clone(whole)
		text[layout.HeaderStarted] = byte(n)
		text[layout.HeaderStarted+1] = others
		return text
	}
	for n := range boxes - 1 { // by name, the order is another one
		path, when := boxCalled(dir, fmt.Sprint("host", n)), time.Now().Add(-time.Duration(n+1)*time.Minute)
		if err := errors.Join(writeSparse(path, started(n)), os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	found, log := run(dir, keep)
	if len(found) != keep || len(named(t, dir, "*.box*")) != 0 || len(named(t, dir, "*.pb.gz")) != keep || strings.Count(log, "there are newer ones") != boxes-keep {
		t.Errorf("%d found, %d boxes, %d dumps: %.2000s", len(found), len(named(t, dir, "*.box*")), len(named(t, dir, "*.pb.gz")), log)
	}
	for i := range found {
		if n := found[i].Started.UnixNano() & 0xffff; n>>8 == int64(others) && n&0xff >= int64(keep-1) {
			t.Errorf("the box %d minutes old was kept", n&0xff+1)
		}
	}
	t.Logf("in %v", time.Since(begin))
}

// Another program in the same directory is another service, with other files.
func TestAnotherProgramsBoxStays(t *testing.T) {
	dir := toolchain.Memory(t)
	box, text := dead(t, dir)
	other := bytes.ReplaceAll(text, []byte("/"+filepath.Base(os.Args[0])+`"`), []byte("/"+strings.Repeat("x", len(filepath.Base(os.Args[0])))+`"`))
	if err := errors.Join(os.WriteFile(boxCalled(dir, "other"), other, 0o600), os.Rename(box, filepath.Join(dir, "cgoheap.other.host.1.a.box"))); err != nil {
		t.Fatal(err)
	}
	found, log := run(dir, 10)
	if left := named(t, dir, "*.box"); len(found) > 0 || len(left) != 2 || strings.Contains(log, "WARN") || !strings.Contains(log, "another program's") {
		t.Errorf("%+v, %q, %s", found, left, log)
	}
}
