package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// group is a control group of memory, of either kind.
type group struct {
	dir         string
	used, limit string // names of files
}

// memoryGroup makes a group within this process's group or, if the kernel or a container forbids that, within an outer one.
// The test is skipped if neither works, mostly because it does not run as root.
func memoryGroup(t *testing.T) group {
	t.Helper()
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip("no control groups: ", err)
	}
	tried := fmt.Errorf("no hierarchy has a memory controller")
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		kind := group{"/sys/fs/cgroup", "memory.current", "memory.max"}
		if strings.Contains(","+fields[1]+",", ",memory,") {
			kind = group{"/sys/fs/cgroup/memory", "memory.usage_in_bytes", "memory.limit_in_bytes"}
		} else if fields[1] != "" {
			continue
		}
		for path := filepath.Join("/", fields[2]); ; path = filepath.Dir(path) {
			g, err := kind.within(t, path)
			if err == nil {
				return g
			}
			tried = err
			if path == "/" {
				break
			}
		}
	}
	t.Skip("a memory control group cannot be made here: ", tried)
	return group{}
}

// within makes a group of the kind in another.
func (g group) within(t *testing.T, path string) (group, error) {
	g.dir = filepath.Join(g.dir, path, fmt.Sprintf("cgoheap-test-%d", os.Getpid()))
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return group{}, err
	}
	if err := g.setLimit(1 << 40); err != nil {
		os.Remove(g.dir)
		return group{}, err
	}
	t.Cleanup(func() {
		if err := os.Remove(g.dir); err != nil {
			t.Error(err)
		}
	})
	return g, nil
}

func (g group) setLimit(bytes int64) error {
	file, err := os.OpenFile(filepath.Join(g.dir, g.limit), os.O_WRONLY, 0) // without creating it if it does not exist
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteString(strconv.FormatInt(bytes, 10))
	return err
}

// leave sets the limit so that the given number of bytes is left.
func (g group) leave(t *testing.T, bytes int64) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(g.dir, g.used))
	if err != nil {
		t.Fatal(err)
	}
	used, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.setLimit(used + bytes); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KiB are used, the limit is %d KiB more", used>>10, bytes>>10)
}

// command returns a command that runs a program in the group from its first page on.
func (g group) command(program string, arguments ...string) *exec.Cmd {
	const join = `echo $$ >"$0/cgroup.procs" && exec "$@"`
	return exec.Command("sh", append([]string{"-c", join, g.dir, program}, arguments...)...)
}
