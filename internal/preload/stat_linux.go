package preload

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// setsUser returns an error if a program runs with other rights than this process: then the loader ignores LD_PRELOAD.
func setsUser(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	user := ok && info.Mode()&os.ModeSetuid != 0 && int(s.Uid) != os.Geteuid()
	group := ok && info.Mode()&os.ModeSetgid != 0 && int(s.Gid) != os.Getegid()
	if size, err := unix.Getxattr(path, "security.capability", nil); err == nil && size > 0 && os.Geteuid() != 0 {
		return fmt.Errorf("%s has file capabilities (getcap shows them), so the loader takes no library for it: record a copy without them", path)
	}
	if user || group {
		return fmt.Errorf("%s runs with the rights of another user or group (set-user-ID), so the loader takes no library for it: run it as "+
			"that user, or record a copy without these rights", path)
	}
	return nil
}

// identityOf returns the device and inode of an open file.
func identityOf(f *elffile.File) (device, inode uint64, ok bool) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0, false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return uint64(s.Dev), s.Ino, true
}
