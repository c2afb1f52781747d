package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Kernel is where the kernel's files are.
type Kernel struct {
	Proc, Cgroups string
}

// Running is the kernel that runs.
var Running = Kernel{Proc: "/proc", Cgroups: "/sys/fs/cgroup"}

// RSS is the process's resident memory in bytes.
func (k Kernel) RSS() (int64, error) {
	path := filepath.Join(k.Proc, "self/statm")
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0, fmt.Errorf("%s: %q has no second field", path, data)
	}
	pages, err := strconv.ParseInt(fields[1], 10, 40)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return pages * int64(os.Getpagesize()), nil
}
