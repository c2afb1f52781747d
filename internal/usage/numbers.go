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

// A process, and each of its threads, has a number in its own PID namespace and one in each around it. Proc shows those of the namespace that
// it was mounted in, which may be one around: unshare --pid without --mount-proc, nsenter --pid. There the process's own numbers,
// and those of its children, are strangers'. Only "self" is always right.

// ErrStrangeNumbers reports that the numbers in Proc are not those that the process and its children know themselves by.
var ErrStrangeNumbers = errors.New("/proc is of another PID namespace than this process, so that its numbers are of other processes")

// OwnNumbers returns nil if the numbers in Proc are those of the process's own PID namespace, ErrStrangeNumbers if not, and another error
// if that cannot be told.
func (k Kernel) OwnNumbers() error {
	if numbers, err := numbersIn(filepath.Join(k.Proc, "self/status")); err == nil {
		if len(numbers) > 1 { // one for each namespace, from that of Proc to its own
			return ErrStrangeNumbers
		}
		return nil
	}
	number, err := os.Readlink(filepath.Join(k.Proc, "self")) // kernels before 4.1, and emulators
	if err == nil && number != strconv.Itoa(os.Getpid()) {
		return ErrStrangeNumbers
	}
	return err
}

// numbersIn returns the numbers of a process or thread, by a file "status" of its: the last is that in its own namespace. Format: proc(5).
func numbersIn(status string) (numbers []int, err error) {
	list, err := Line(status, "NSpid:")
	if err != nil {
		return nil, err
	}
	for _, field := range strings.Fields(list) {
		number, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", status, err)
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// Line returns the rest of the line of a file that begins with a name.
func Line(path, name string) (string, error) {
	text, err := descriptor.ReadFile(path)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, name); found {
			return strings.TrimSpace(rest), nil
		}
	}
	return "", fmt.Errorf("%s has no line %s", path, strings.TrimSuffix(name, ":"))
}

// Tasks are the directories of the process's threads in Proc.
type Tasks struct {
	dir    string
	listed map[int]string // their names there, by the number in the process's own namespace; nil if both are the same
}

// Tasks returns the directories of the process's threads, as of now.
func (k Kernel) Tasks() Tasks {
	if k.Process != 0 {
		return Tasks{dir: k.Path("task")}
	}
	t := Tasks{dir: filepath.Join(k.Proc, "self/task")} // it stays when the main thread has ended
	if !errors.Is(k.OwnNumbers(), ErrStrangeNumbers) {
		return t
	}
	t.listed = make(map[int]string)
	entries, _ := os.ReadDir(t.dir) // without them, no thread has a directory
	for _, e := range entries {
		if numbers, err := numbersIn(filepath.Join(t.dir, e.Name(), "status")); err == nil {
			t.listed[numbers[len(numbers)-1]] = e.Name()
		}
	}
	return t
}

// All is the directory that has those of all threads.
func (t Tasks) All() string { return t.dir }

// Name returns the name of a thread's directory; "" if it has none.
func (t Tasks) Name(thread int) string {
	if t.listed == nil {
		return strconv.Itoa(thread)
	}
	return t.listed[thread]
}

// File returns the path of a file of a thread's. There is none at it if the thread has no directory.
func (t Tasks) File(thread int, file string) string {
	name := t.Name(thread)
	if name == "" {
		name = "none"
	}
	return filepath.Join(t.dir, name, file)
}
