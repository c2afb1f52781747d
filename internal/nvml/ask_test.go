//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package nvml

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// child says that a process was started by TestAsk, and asks.
const child = "CGOHEAP_NVML_CHILD"

// hangs says that the driver does not answer.
const hangs = "STAND_IN_HANGS"

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		os.Exit(m.Run())
	}
	if os.Getenv(hangs) == "" {
		limit = 10 * time.Minute
	}
	for number := range 3 {
		card, err := Ask(number)
		fmt.Println(number, card, err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	fmt.Println("loaded:", strings.Contains(string(maps), "libnvidia-ml"), err)
}

// standIns builds stand-ins of the driver's two libraries, and an old one of the second.
func standIns(t *testing.T) (cuda, folder, old string) {
	t.Helper()
	target, dir := toolchain.Target(t), t.TempDir()
	cuda, folder, old = filepath.Join(dir, "cuda", "libcuda.so.1"), filepath.Join(dir, "nvml"), filepath.Join(dir, "old")
	const name = "libnvidia-ml.so.1"
	for library, flag := range map[string]string{cuda: "-DCUDA", filepath.Join(folder, name): "-DNVML", filepath.Join(old, name): "-DOLD"} {
		if err := os.Mkdir(filepath.Dir(library), 0o700); err != nil {
			t.Fatal(err)
		}
		target.Build(t, "gcc", "-shared", "-fPIC", flag, "-Wl,-soname,"+filepath.Base(library), "-o", library, "testdata/driver.c")
	}
	return cuda, folder, old
}

func TestAsk(t *testing.T) {
	cuda, folder, old := standIns(t)
	answered := "0 {2097152 2147483648 85899345920} <nil>\n1 {1048576 1073741824 85899345920} <nil>\n2 {0 0 0} GPU 2: CUDA has no such card\nloaded: true <nil>\n"
	unknown := strings.NewReplacer("{2097152 ", "{-1 ", "{1048576 ", "{-1 ").Replace(answered)
	if pids, err := os.Readlink("/proc/self/ns/pid"); err != nil || pids != "pid:[4026531836]" { // the test is in a container
		answered = unknown
	}
	three := func(reason, loaded string) string {
		return fmt.Sprintf("0 {0 0 0} GPU 0: %s\n1 {0 0 0} GPU 1: %[1]s\n2 {0 0 0} GPU 2: %[1]s\nloaded: %s <nil>\n", reason, loaded)
	}
	for name, c := range map[string]struct {
		environment []string
		want        string
		flags       uintptr // of clone(2)
	}{
		"cards that the two libraries count in opposite orders, and that list a process once for each of its parts": {
			environment: []string{"LD_PRELOAD=" + cuda, "LD_LIBRARY_PATH=" + folder}, want: answered},
		"a driver that does not list the process": {
			environment: []string{"LD_PRELOAD=" + cuda, "LD_LIBRARY_PATH=" + folder, "STAND_IN_NOT_LISTED=1"}, want: unknown},
		"a driver that does not say how much one of the parts is": {
			environment: []string{"LD_PRELOAD=" + cuda, "LD_LIBRARY_PATH=" + folder, "STAND_IN_DOES_NOT_SAY=1"}, want: unknown},
		"an old driver, with a shorter entry for each process": {
			environment: []string{"LD_PRELOAD=" + cuda, "LD_LIBRARY_PATH=" + old}, want: answered},
		"a container, where another process may have the number that the driver lists": {
			environment: []string{"LD_PRELOAD=" + cuda, "LD_LIBRARY_PATH=" + folder}, want: unknown, flags: unix.CLONE_NEWPID},
		"a process without CUDA does not load NVML": {
			environment: []string{"LD_LIBRARY_PATH=" + folder}, want: three("the program has not loaded libcuda.so.1", "false")},
		"nor does one that has not begun to use it": {
			environment: []string{"LD_PRELOAD=" + cuda, "LD_LIBRARY_PATH=" + folder, "STAND_IN_NOT_READY=1"}, want: three("CUDA's driver is not ready", "false")},
		"NVML is missing": {
			environment: []string{"LD_PRELOAD=" + cuda}, want: strings.Replace(three("libnvidia-ml.so.1 cannot be loaded", "false"),
				"GPU 2: libnvidia-ml.so.1 cannot be loaded", "GPU 2: CUDA has no such card", 1)},
		"NVML refuses": {
			environment: []string{"LD_PRELOAD=" + cuda, "LD_LIBRARY_PATH=" + folder, "STAND_IN_REFUSES=1"}, want: strings.Replace(three("NVML does not say it", "false"),
				"GPU 2: NVML does not say it", "GPU 2: CUDA has no such card", 1)},
		"a driver that hangs": {
			environment: []string{"LD_PRELOAD=" + cuda, "LD_LIBRARY_PATH=" + folder, hangs + "=1"},
			want:        "0 {0 0 0} the driver of a card: there is no answer after 1s\n1 {0 0 0} the driver has not answered yet\n2 {0 0 0} the driver has not answered yet\nloaded: true <nil>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			self := exec.Command(os.Args[0])
			self.Env = append(os.Environ(), append(c.environment, child+"=1")...)
			self.WaitDelay = time.Minute
			self.SysProcAttr = &syscall.SysProcAttr{Cloneflags: c.flags}
			output, err := self.Output()
			if errors.Is(err, os.ErrPermission) {
				t.Skip("the kernel allows no namespaces: ", err)
			}
			if err != nil || string(output) != c.want {
				t.Errorf("%v\n%s\nwant\n%s", err, output, c.want)
			}
		})
	}
}
