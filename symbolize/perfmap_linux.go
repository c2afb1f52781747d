package symbolize

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// began is a time shortly after the start of this process.
var began = time.Now()

// ownPerfMap reads the list that this process has written, by the number that it has in its own PID namespace.
func ownPerfMap(wants []madeWant) {
	file, err := openPerfMap(fmt.Sprintf("/tmp/perf-%d.map", os.Getpid()))
	if err != nil {
		return
	}
	defer file.Close()
	readPerfMap(file, wants)
}

// openPerfMap opens a list if only this user can have written it, since this process began. Any user may make files in /tmp,
// and an earlier process with the same number may have left one behind: in a container that is started again, the numbers
// are the same.
func openPerfMap(path string) (*os.File, error) {
	file, err := descriptor.OpenFile(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !ours(info) {
		err = fmt.Errorf("%s: not a regular, recent file that only this user can write", path)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func ours(info fs.FileInfo) bool {
	const writableByOthers = 0o002
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && !info.ModTime().Before(began) && int(stat.Uid) == os.Geteuid() && info.Mode()&writableByOthers == 0
}
