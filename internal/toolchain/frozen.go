package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// FrozenDisk returns a directory of an ext4 of its own, which is frozen until the test ends: whoever writes there waits, and not even
// SIGKILL ends that.
func FrozenDisk(t testing.TB) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a volume")
	}
	image, dir := filepath.Join(t.TempDir(), "image"), t.TempDir()
	must(t, "truncate", "-s", "16M", image)
	must(t, "mkfs.ext4", "-q", image)
	if out, err := exec.Command("mount", "-o", "loop", image, dir).CombinedOutput(); err != nil {
		t.Skipf("needs root, to mount a volume: %v: %s", err, out)
	}
	t.Cleanup(func() { must(t, "umount", "-l", dir) })
	must(t, "fsfreeze", "-f", dir)
	t.Cleanup(func() { must(t, "fsfreeze", "-u", dir) })
	return dir
}

func must(t testing.TB, name string, arguments ...string) {
	t.Helper()
	if out, err := exec.Command(name, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}
