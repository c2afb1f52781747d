package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	writingTime  = 10 * time.Second
	writtenBytes = 1 << 30 // before the file begins anew
)

// besideWriting prints the nanoseconds of the longest malloc or free of that many threads, while another one just keeps a processor
// busy; and the same while it writes to a file as fast as it can, and has that reach the disk again and again.
func besideWriting(dir string, threads int) error {
	quiet := watched(threads, func() { busy(writingTime) })
	var err error
	during := watched(threads, func() { err = writeMuch(filepath.Join(dir, "written")) })
	fmt.Printf("%.0f %.0f\n%.0f %.0f\n", quiet.wall, quiet.kept, during.wall, during.kept)
	return err
}

func writeMuch(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	piece := make([]byte, 1<<20)
	for at, end := int64(0), time.Now().Add(writingTime); err == nil && time.Now().Before(end); at += int64(len(piece)) {
		if _, err = file.WriteAt(piece, at%writtenBytes); err == nil && at%(256<<20) == 0 {
			err = file.Sync()
		}
	}
	return errors.Join(err, file.Close(), os.Remove(path))
}
