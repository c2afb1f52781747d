package blackbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/self"
)

// Box is the file of this process.
type Box struct {
	file  File
	size  uintptr
	taken bool
	held  []byte // a page of it that nobody touches: with it, the process has the lock until the file is removed
}

// Prefix begins the names of this program's files. Names of a program called PROGRAM.x begin with it as well.
func Prefix() string { return prefix + self.Name + "." }

// patience is how long Create and Remove wait for a directory that does not answer, such as one of a network file system.
const patience = 5 * time.Second

// Create makes a file of so many bytes in a directory, all holes, locks it and maps it. The directory must lie in memory.
func Create(dir string, size int64) (*Box, error) {
	forget := func(b *Box) { _ = b.remove() }
	b, err := background.Within(patience, "making the black box", func() (*Box, error) { return create(dir, size) }, forget)
	if err != nil {
		return nil, fmt.Errorf("making the black box in %s: %w", dir, err)
	}
	return b, nil
}

func create(dir string, size int64) (*Box, error) {
	folder, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(folder) }()
	if err := inMemory(folder); err != nil {
		return nil, err
	}
	for {
		b, err := createIn(folder, dir, size)
		if !errors.Is(err, errRecovered) {
			return b, err
		}
	}
}

// errRecovered reports a new file that somebody who recovers has locked first, found nothing in, and removed.
var errRecovered = errors.New("somebody has removed it")

func createIn(folder int, dir string, size int64) (*Box, error) {
	name := newName()
	fd, err := unix.Openat(folder, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	fd = aside(fd)
	defer func() { _ = unix.Close(fd) }()
	b := &Box{file: File{Path: filepath.Join(dir, name)}, size: uintptr(size)}
	var s unix.Stat_t
	err = unix.Fstat(fd, &s)
	b.file.Device, b.file.Inode = s.Dev, s.Ino
	if err == nil {
		err = lockNew(fd)
	}
	if err == nil {
		err = b.fill(fd)
	}
	if err != nil {
		return nil, errors.Join(err, b.remove())
	}
	return b, nil
}

// fill gives the file its size, and maps it.
func (b *Box) fill(fd int) (err error) {
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return err
	}
	if s.Nlink == 0 {
		return errRecovered
	}
	// To nothing at first: for a moment its number was one that the program may write to, if it has closed that.
	grow := func() error { return unix.Ftruncate(fd, int64(b.size)) }
	if err := errors.Join(unix.Ftruncate(fd, 0), descriptor.Quietly(grow)); err != nil {
		return err
	}
	page, err := unix.MmapPtr(fd, 0, nil, heldBytes, unix.PROT_NONE, unix.MAP_SHARED)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	b.held = unsafe.Slice((*byte)(page), heldBytes)
	b.file.Pages, err = mapShared(fd, b.size)
	return err
}

const heldBytes = 4096

func newName() string {
	host, err := os.Hostname()
	if err != nil || strings.ContainsAny(host, "/\x00") || host == "" {
		host = "localhost"
	}
	return fmt.Sprintf("%s%s.%d.%s%s", Prefix(), host, os.Getpid(), strconv.FormatInt(time.Now().UnixNano(), 36), suffix)
}

// aside moves a descriptor to a high number at once. A program that has closed 0, 1 or 2 still writes its messages there, and one that
// opens a file may expect the lowest number.
func aside(fd int) int {
	for _, least := range []int{1000, 100, 10, 3} { // the process may have a limit of few
		if moved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, least); err == nil {
			_ = unix.Close(fd)
			return moved
		}
	}
	return fd
}

// errDisk reports a directory that does not lie in memory.
var errDisk = errors.New("it lies on a disk, and threads that allocate would wait for that, without an end if it stops; take a " +
	"directory in memory (a tmpfs): /dev/shm, below /run, or in Kubernetes an emptyDir with medium Memory")

// InMemory returns an error if a directory does not lie in memory.
func InMemory(dir string) error {
	folder, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: dir, Err: err}
	}
	defer func() { _ = unix.Close(folder) }()
	if err := inMemory(folder); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}

// inMemory returns an error if a directory lies on a disk. A thread that touches a page of a mapped file there waits for the disk:
// while the kernel throttles writers, and without an end while the file system is frozen, as for a snapshot, or gone. Nothing ends
// such a wait, not even SIGKILL, and the threads that touch these pages are those that allocate.
func inMemory(folder int) error {
	var s unix.Statfs_t
	if err := unix.Fstatfs(folder, &s); err != nil {
		return err
	}
	if kind := uint32(s.Type); kind != unix.TMPFS_MAGIC && kind != ramfsMagic {
		return fmt.Errorf("%w (its file system is of type %#x)", errDisk, kind)
	}
	return nil
}

const ramfsMagic = 0x858458f6 // RAMFS_MAGIC of linux/magic.h

// mapShared maps a file, and locks none of it in memory, even if the process locks all that it maps: see pages.c.
func mapShared(fd int, size uintptr) (unsafe.Pointer, error) {
	const first = 64 << 10
	at, err := unix.MmapPtr(fd, 0, nil, first, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	if err := unix.Munlock(unsafe.Slice((*byte)(at), first)); err != nil {
		_ = unix.MunmapPtr(at, first)
		return nil, os.NewSyscallError("munlock", err)
	}
	all, err := unix.MremapPtr(at, first, nil, size, unix.MREMAP_MAYMOVE)
	if err != nil {
		_ = unix.MunmapPtr(at, first)
		return nil, os.NewSyscallError("mremap", err)
	}
	return all, nil
}

// Take returns the file. Its pages belong to the caller from then on, who may move them.
func (b *Box) Take() File {
	b.taken = true
	return b.file
}

// Path returns its path.
func (b *Box) Path() string { return b.file.Path }

// Remove deletes the file. If another one has its name by now, or none, that stays as it is, and the file is emptied, wherever it is. Pages that were taken are no longer mapped by then.
func (b *Box) Remove() error {
	_, err := background.Within(patience, "removing the black box", func() (any, error) { return nil, b.remove() }, nil)
	return err
}

func (b *Box) remove() error {
	defer b.unmap()
	found, err := b.unlink()
	if !found || err != nil {
		b.empty()
	}
	return err
}

// unlink reports whether the path leads to the file.
func (b *Box) unlink() (found bool, err error) {
	var s unix.Stat_t
	err = unix.Lstat(b.file.Path, &s)
	if errors.Is(err, unix.ENOENT) || err == nil && (s.Dev != b.file.Device || s.Ino != b.file.Inode) {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "lstat", Path: b.file.Path, Err: err}
	}
	return true, os.Remove(b.file.Path)
}

// empty makes all of the file a hole again. A process that has changed its user may not be allowed to remove it, and one that has
// changed its root does not find it: then at least it takes no memory, and who looks for boxes finds nothing recorded in it.
func (b *Box) empty() {
	if b.held == nil {
		return
	}
	_ = unix.Munlock(b.held) // locked memory would be made resident, all of it
	all, err := unix.MremapPtr(unsafe.Pointer(&b.held[0]), heldBytes, nil, b.size, unix.MREMAP_MAYMOVE)
	if err != nil {
		return
	}
	b.held = unsafe.Slice((*byte)(all), b.size)
	if unix.Mprotect(b.held, unix.PROT_READ|unix.PROT_WRITE) == nil {
		_ = unix.Madvise(b.held, unix.MADV_REMOVE)
	}
}

func (b *Box) unmap() {
	if b.held != nil {
		_ = unix.MunmapPtr(unsafe.Pointer(&b.held[0]), uintptr(len(b.held)))
	}
	if !b.taken && b.file.Pages != nil {
		_ = unix.MunmapPtr(b.file.Pages, b.size)
	}
}

// lockNew locks a file that was just made. Somebody who recovers what is in the directory may have locked it first: there is
// nothing in it yet, so that is over at once.
func lockNew(fd int) (err error) {
	const tries = 200
	for range tries {
		if err = lock(fd); err == nil || !taken(err) {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// taken reports whether an error of lock says that another process has the lock.
func taken(err error) bool { return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) }

// lock locks the whole file, or fails at once.
func lock(fd int) error {
	return unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
}
