package account

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// withNames makes a /proc of this process whose lists have other names for some mapped files.
func withNames(t *testing.T, names map[string]string, files ...string) usage.Kernel {
	t.Helper()
	proc := t.TempDir()
	if err := os.Mkdir(filepath.Join(proc, "self"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		path := filepath.Join(proc, "self", file)
		if file != "maps" && file != "smaps" {
			if err := os.Symlink("/proc/self/"+file, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile("/proc/self/" + file)
		if err != nil {
			t.Fatal(err)
		}
		list := string(text)
		for from, to := range names {
			list = strings.ReplaceAll(list, from, to)
		}
		if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return usage.Kernel{Proc: proc}
}

func TestMappedDeviceFilesAreALineThatNamesThem(t *testing.T) {
	const n = 100
	managed, card := tempFile(t, n), tempFile(t, n)
	names := map[string]string{managed.Name(): "/dev/nvidia-uvm", card.Name(): "/dev/nvidia0"}
	var list []Mapped
	for _, b := range [][]byte{mapped(t, int(managed.Fd()), n, unix.MAP_SHARED), mapped(t, int(managed.Fd()), n, unix.MAP_SHARED),
		mapped(t, int(card.Fd()), n, unix.MAP_PRIVATE)} { // the pages of the last are copies, and a device's all the same
		list = append(list, Mapped{Range: rangeOf(b), Call: 1})
	}
	var memory scratch.Memory
	defer memory.Free()
	asFiles := Take(usage.Running, &Sources{Mapped: list}, &memory).Mapped
	var bytes [3]int64
	for i := range list {
		if bytes[i] = asFiles[i].Files.Resident; bytes[i] < n/2*page {
			t.Fatalf("%d bytes are resident of a file", bytes[i])
		}
	}
	want := fmt.Sprintf("/dev/nvidia-uvm %d KiB, /dev/nvidia0 %d KiB", (bytes[0]+bytes[1])>>10, bytes[2]>>10)
	for way, files := range map[string][]string{
		"by pages": {"maps", "pagemap", "statm", "task"}, "by sums": {"maps", "smaps", "statm", "task"},
	} {
		t.Run(way, func(t *testing.T) {
			v := Take(withNames(t, names, files...), &Sources{Mapped: list}, &memory)
			for i := range list {
				if v.Mapped[i] != (ByLine{Devices: Size{Resident: bytes[i]}}) {
					t.Errorf("a recorded call has %+v, want %d", v.Mapped[i], bytes[i])
				}
			}
			a := v.Account(Recorded{})
			at := slices.IndexFunc(a.Lines, func(l Line) bool { return l.Name == DeviceFiles })
			if at < 0 || a.Lines[at].Resident != bytes[0]+bytes[1]+bytes[2] || a.Lines[at].Detail != want {
				t.Errorf("the lines are %+v, want one with %q", a.Lines, want)
			}
		})
	}
}

func TestManyDevicesAreCounted(t *testing.T) {
	v := Survey{devices: map[string]int64{"/dev/a": 6 << 10, "/dev/b": 1 << 10, "/dev/c": 2 << 10, "/dev/d": 3 << 10, "/dev/e": 4 << 10, "/dev/f": 5 << 10}}
	if got, want := v.deviceNames(), "/dev/a 6 KiB, /dev/f 5 KiB, /dev/e 4 KiB, /dev/d 3 KiB, and 2 others"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
