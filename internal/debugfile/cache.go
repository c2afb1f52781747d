package debugfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// cacheEntry is a debug file in the cache of the debuginfod clients: DIR/build ID/debuginfo. An empty file means that no
// server had it.
type cacheEntry struct{ path string }

// missingFor is how long clients believe that servers still do not have a file.
const missingFor = 10 * time.Minute

// cacheDir returns where the clients keep files; "" if there is no such directory.
func cacheDir() string {
	if dir := os.Getenv("DEBUGINFOD_CACHE_PATH"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "debuginfod_client")
}

func (s *Server) entry(id string) cacheEntry {
	return cacheEntry{filepath.Join(s.Cache, id, "debuginfo")}
}

// look reports whether the file is there. The error is ErrNotOnServer if it is known that no server has it.
func (e cacheEntry) look(now time.Time) (bool, error) {
	info, err := os.Stat(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.Size() > 0:
		return true, nil
	case now.Sub(info.ModTime()) < missingFor:
		return false, ErrNotOnServer
	}
	return false, os.Remove(e.path)
}

// markMissing remembers that no server has the file. If that fails the servers are asked again.
func (e cacheEntry) markMissing() {
	if err := os.MkdirAll(filepath.Dir(e.path), 0o700); err != nil {
		return
	}
	_ = os.WriteFile(e.path, nil, 0o400)
}

// store writes a file of at most limit bytes. It appears only when it is complete, because others use the cache too.
func (e cacheEntry) store(from io.Reader, limit int64) error {
	if err := os.MkdirAll(filepath.Dir(e.path), 0o700); err != nil {
		return err
	}
	file, err := descriptor.CreateTemp(filepath.Dir(e.path), "debuginfo.*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // gone already if it was renamed
	size, err := io.Copy(descriptor.Writer(file), from)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if size == 0 || size > limit {
		return fmt.Errorf("a debug file of %d bytes or more; 1 to %d are allowed", size, limit)
	}
	return os.Rename(file.Name(), e.path)
}
