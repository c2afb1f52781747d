package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// Kernel is where the kernel's files are.
type Kernel struct {
	Proc, Cgroups string
	Process       int // whose files are meant; 0 for this process
}

// Path returns the path of one of the process's files in Proc.
func (k Kernel) Path(file string) string {
	if k.Process != 0 {
		return filepath.Join(k.Proc, strconv.Itoa(k.Process), file)
	}
	return filepath.Join(descriptor.Self(k.Proc), file)
}

// Running is the kernel that runs.
var Running = Kernel{Proc: "/proc", Cgroups: "/sys/fs/cgroup"}

// RSS returns the process's resident memory in bytes. Kernels count it in portions for each processor or thread: it may be some pages off
// for each.
func (k Kernel) RSS() (int64, error) {
	path := k.Path("statm")
	data, err := descriptor.ReadFile(path)
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

// Rollup returns the same by another walk through all pages, which takes the kernel longer than anything else here.
func (k Kernel) Rollup() (int64, error) {
	return k.field("smaps_rollup", "Rss:")
}

// ResetPeak makes Peak begin with what is resident now, which it returns, in bytes.
func (k Kernel) ResetPeak() (int64, error) {
	const forgetPeak = "5" // proc(5), clear_refs
	if err := os.WriteFile(k.Path("clear_refs"), []byte(forgetPeak), 0); err != nil {
		return 0, err
	}
	return k.RSS()
}

// Peak returns the most bytes that were resident at any moment since the process began, or since ResetPeak.
func (k Kernel) Peak() (int64, error) {
	return k.field("status", "VmHWM:")
}

// field returns a line of a file that has a name and kilobytes, in bytes.
func (k Kernel) field(file, name string) (int64, error) {
	return Kilobytes(k.Path(file), name)
}

// Kilobytes returns the line of a file that has a name and kilobytes, in bytes.
func Kilobytes(path, name string) (int64, error) {
	text, err := Line(path, name)
	if err != nil {
		return 0, err
	}
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(text, "kB")), 10, 50)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return kilobytes << 10, nil
}
