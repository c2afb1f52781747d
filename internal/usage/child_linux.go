package usage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// errOtherNamespace reports that children of the calling thread are in another PID namespace.
var errOtherNamespace = errors.New("children of this thread are in another PID namespace (unshare, setns), which may end with the first of them")

// ChildrenStay returns an error if children of the calling thread, to which its goroutine must be locked, are not in the process's own PID
// namespace: the first process of a new one takes it along when it ends, and no other can be made there then. Kernels before
// 4.12 do not tell.
func (k Kernel) ChildrenStay() error {
	dir := filepath.Join(k.Proc, "thread-self/ns")
	own, err := os.Readlink(filepath.Join(dir, "pid"))
	if err != nil {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(dir, "pid_for_children")); err != nil {
		return nil
	}
	if children, err := os.Readlink(filepath.Join(dir, "pid_for_children")); err != nil || children != own { // an error: it has no first one yet
		return errOtherNamespace
	}
	return nil
}

// Child returns the directory in Proc of a child of the process.
func (k Kernel) Child(pid int) (string, error) {
	number := strconv.Itoa(pid)
	err := k.OwnNumbers()
	if errors.Is(err, ErrStrangeNumbers) {
		number, err = k.numberOf(pid)
	}
	return filepath.Join(k.Proc, number), err
}

// numberOf returns the number in Proc of a child, which the kernel tells of a descriptor of the process: pidfd_open(2), kernels from 5.3 on.
func (k Kernel) numberOf(pid int) (string, error) {
	d, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return "", fmt.Errorf("%w, and the kernel refuses the call pidfd_open: %w", ErrStrangeNumbers, err)
	}
	defer func() { _ = unix.Close(d) }()
	return Line(filepath.Join(k.Proc, "thread-self/fdinfo", strconv.Itoa(d)), "Pid:")
}
