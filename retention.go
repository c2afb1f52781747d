package cgoheap

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// abandoned is the age of a temporary file whose process cannot be writing it any more.
const abandoned = time.Hour

// clear removes the oldest dumps of this program beyond what is kept, and what a process that was killed left unfinished.
func (d *dumper) clear() error {
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		return err
	}
	var made []fs.FileInfo
	var failed error
	for _, entry := range entries {
		info, err := entry.Info()
		switch {
		case err != nil || !info.Mode().IsRegular(): // removed meanwhile, or not ours
		case isDump(info.Name()):
			made = append(made, info)
		case isTemporary(info.Name()) && time.Since(info.ModTime()) > abandoned:
			failed = errors.Join(failed, d.remove(info))
		}
	}
	for _, info := range d.tooMany(made) {
		failed = errors.Join(failed, d.remove(info))
	}
	return failed
}

// remove removes a file that another process may be removing, too.
func (d *dumper) remove(info fs.FileInfo) error {
	if err := os.Remove(filepath.Join(d.Dir, info.Name())); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// tooMany are the dumps to remove: all after the first, the newest, that exceed a bound.
func (d *dumper) tooMany(made []fs.FileInfo) []fs.FileInfo {
	slices.SortFunc(made, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(b.Name(), a.Name()))
	})
	var bytes int64
	for i, info := range made {
		bytes += info.Size()
		if i > 0 && (d.Keep > 0 && i >= d.Keep || d.KeepBytes > 0 && bytes > d.KeepBytes) {
			return made[i:]
		}
	}
	return nil
}

// isDump is true of PROGRAM.PID.TIME.NUMBER.cgoheap.pb.gz.
func isDump(name string) bool {
	name, ours := strings.CutPrefix(name, filepath.Base(os.Args[0])+".")
	name, dump := strings.CutSuffix(name, dumpSuffix)
	return ours && dump && strings.Count(name, ".") == 2
}

func isTemporary(name string) bool {
	matches, _ := filepath.Match(tempPattern, name) // fails on a bad pattern only
	return matches
}
