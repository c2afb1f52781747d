package preload

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
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
	capabilities := false
	if size, err := unix.Getxattr(path, "security.capability", nil); err == nil && size > 0 {
		capabilities = os.Geteuid() != 0
	}
	if user || group || capabilities {
		return fmt.Errorf("%s runs with the rights of another user or group (set-user-ID), so the loader takes no library for it: run it as "+
			"that user, or record a copy without these rights", path)
	}
	return nil
}
