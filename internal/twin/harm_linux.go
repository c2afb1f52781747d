//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// Some programs bear no copy, because of memory that they have, or of what they have asked the kernel for. None is made of
// them. To exempt that memory (MADV_DONTFORK) would change what the program's own children find there.

// kernel is a version of Linux.
type kernel struct{ major, minor int }

func (k kernel) before(major, minor int) bool {
	return k.major < major || k.major == major && k.minor < minor
}

func running() (k kernel) {
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		_, _ = fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &k.major, &k.minor) // else it counts as old
	}
	return k
}

// harm returns why a copy could harm the process; nil if it could not.
func harm(k usage.Kernel, v kernel) error {
	if err := hugePages(k.Path("")); err != nil {
		return err
	}
	pinned, err := usage.Kilobytes(k.Path("status"), "VmPin:")
	if err == nil && pinned > 0 && v.before(5, 12) {
		return errors.New("a device or io_uring writes to memory that the program has pinned, and before Linux 5.12 what it writes " +
			"after a copy was made may be lost")
	}
	return openFiles(k, v)
}

// hugePages returns an error if a process, by its directory in /proc, has private pages of hugetlbfs. Whoever writes to one
// first after a copy was made takes another page from the pool. If that is empty, the kernel ends it, or the copy if the pages
// are reserved.
func hugePages(dir string) error {
	mapped, err := usage.Kilobytes(filepath.Join(dir, "status"), "HugetlbPages:")
	if err == nil && mapped == 0 { // kernels before 4.4 do not tell
		return nil
	}
	all, err := list(filepath.Join(dir, "smaps"))
	if err != nil {
		return fmt.Errorf("it is not known whether the program has private huge pages: %w", err)
	}
	for i := range all {
		if m := &all[i]; m.mode[3] == 'p' && m.flags.hugetlb && !m.flags.noCopy {
			return errors.New("the program has private huge pages (MAP_HUGETLB, or glibc.malloc.hugetlb=2): at its next write " +
				"to one, the kernel would need another for it, and kill it if there is none")
		}
	}
	return nil
}

// descriptors returns the numbers of the process's descriptors, and the directory of the kernel's links to what they are.
func descriptors(k usage.Kernel) (dir string, names []string, err error) {
	dir = k.Path("fd")
	d, err := descriptor.Open(dir)
	if err != nil {
		return dir, nil, err
	}
	defer func() { _ = d.Close() }()
	names, err = d.Readdirnames(-1)
	return dir, names, err
}

// openFiles looks for descriptors through which a copy harms the process.
func openFiles(k usage.Kernel, v kernel) error {
	dir, names, err := descriptors(k)
	if err != nil {
		return err
	}
	for _, name := range names {
		link, _ := os.Readlink(filepath.Join(dir, name)) // an error: it was closed
		number, _ := strconv.Atoi(name)
		switch {
		case link == "anon_inode:[userfaultfd]" && awaitsForks(k, name):
			return errors.New("the program has asked to be told of forks (UFFD_FEATURE_EVENT_FORK), and the kernel would wait " +
				"until it takes notice of the copy")
		case strings.HasPrefix(link, "/") && isDirect(number) && mayLose(number, v):
			return fmt.Errorf("the program has %s open with O_DIRECT, and what is read from there while a copy is made may be lost: "+
				"open(2)", link)
		}
	}
	return nil
}

// awaitsForks reads the features that a userfaultfd was made with: "API: version:features:ioctls". Format: fs/userfaultfd.c.
func awaitsForks(k usage.Kernel, number string) bool {
	const eventFork = 1 << 1
	text, err := usage.Line(filepath.Join(k.Path("fdinfo"), number), "API:")
	fields := strings.Split(text, ":")
	if err != nil || len(fields) != 3 {
		return true
	}
	features, err := strconv.ParseUint(fields[1], 16, 64)
	return err != nil || features&eventFork != 0
}

func isDirect(file int) bool {
	flags, err := unix.FcntlInt(uintptr(file), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_DIRECT != 0
}

// pins are the file systems that pin the pages which they read to without the page cache, so that a copy gets others. All did
// not before Linux 6.5, and some still do not.
var pins = []int64{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC,
	unix.OVERLAYFS_SUPER_MAGIC,
}

// mayLose reports whether memory that the kernel reads a file to may be the copy's by then, and no longer the process's.
func mayLose(file int, v kernel) bool {
	var s unix.Stat_t
	var fs unix.Statfs_t
	if unix.Fstat(file, &s) != nil || unix.Fstatfs(file, &fs) != nil {
		return false // it was closed
	}
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFBLK:
		return v.before(6, 5)
	case unix.S_IFREG:
		return v.before(6, 5) || !slices.Contains(pins, int64(fs.Type))
	}
	return false
}
