package usage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// Threads returns the number of threads of the process. Emulators know it in this file only.
func (k Kernel) Threads() (int64, error) {
	n, err := Line(k.Path("status"), "Threads:")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(n, 10, 64)
}

// errNoGroup reports that the control group's files cannot be found.
var errNoGroup = errors.New("no control group of the process has such a file")

// Kills returns how many processes of the process's own control group the kernel has killed because it was out of memory, since
// the group was made, and the file that has the number. If that cannot be seen, as from inside a container with the path of
// outside, it is that of the nearest group above that can.
func (k Kernel) Kills() (path string, kills int64, err error) {
	text, err := descriptor.ReadFile(k.Path("cgroup"))
	if err != nil {
		return "", 0, err
	}
	for _, h := range k.hierarchies(string(text)) {
		for group := range h.groups() {
			for _, name := range [...]string{"memory.events", "memory.oom_control"} {
				path := filepath.Join(h.mount, group, name)
				if kills, err := KillsIn(path); err == nil {
					return path, kills, nil
				}
			}
		}
	}
	return "", 0, errNoGroup
}

// KillsAgain returns the number in a file that Kills has returned, perhaps in another process, if it is still that of the same
// group. The path is not trusted: it must be that of such a file.
func (k Kernel) KillsAgain(path string, group uint64) (int64, error) {
	inside := strings.HasPrefix(filepath.Clean(path), filepath.Clean(k.Cgroups)+string(filepath.Separator))
	if name := filepath.Base(path); !inside || name != "memory.events" && name != "memory.oom_control" {
		return 0, fmt.Errorf("%q is no file of a control group's kills", path)
	}
	if GroupOf(path) != group {
		return 0, fmt.Errorf("%s is of another group now", path)
	}
	return KillsIn(path)
}

// GroupOf identifies the control group of such a file; 0 if it cannot be seen.
func GroupOf(path string) uint64 {
	info, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return 0
	}
	return inodeOf(info)
}

// KillsIn returns the number in a file that Kills has returned.
func KillsIn(path string) (int64, error) {
	data, err := descriptor.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if text, found := strings.CutPrefix(line, "oom_kill "); found {
			return strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no oom_kill", path)
}

// Stalls returns how long tasks have waited for memory, in microseconds: some of them, and all of them, of the process's
// control group (memory.pressure), or of the machine. Format: the kernel's Documentation/accounting/psi.rst.
func (k Kernel) Stalls() (some, full int64, err error) {
	if text, err := descriptor.ReadFile(k.Path("cgroup")); err == nil {
		for _, h := range k.hierarchies(string(text)) {
			if some, full, err = stallsIn(filepath.Join(h.mount, h.path, "memory.pressure")); err == nil {
				return some, full, nil
			}
		}
	}
	return stallsIn(filepath.Join(k.Proc, "pressure/memory"))
}

func stallsIn(path string) (some, full int64, err error) {
	data, err := descriptor.ReadFile(path)
	if err != nil {
		return 0, 0, err
	}
	totals := map[string]int64{}
	for line := range strings.Lines(string(data)) {
		kind, rest, _ := strings.Cut(line, " ")
		if _, text, found := strings.Cut(rest, "total="); found {
			if totals[kind], err = strconv.ParseInt(strings.TrimSpace(text), 10, 64); err != nil {
				return 0, 0, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if _, ok := totals["some"]; !ok {
		return 0, 0, fmt.Errorf("%s has no total of some", path)
	}
	return totals["some"], totals["full"], nil
}
