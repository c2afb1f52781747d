package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/unwind"
)

// largeFiles are libraries of about 100 MB that a Debian may have, and this program's neighbour, which names builds.
var largeFiles = []string{"/usr/lib/x86_64-linux-gnu/libLLVM-1?.so.1", "names/build/cxx"}

// rows measures how long unwind data takes to become rows, from opening the file on.
func rows(s setup) error {
	s.table.headAlone("Rows for unwinding", "")
	for _, pattern := range largeFiles {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := s.rowsOf(path); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		if len(paths) == 0 {
			fmt.Fprintf(os.Stderr, "capture: rows of %s are left out, because it is not installed\n", pattern)
		}
	}
	return nil
}

func (s setup) rowsOf(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var seconds []float64
	var table *unwind.Table
	for range s.rounds {
		start := time.Now()
		if table, err = buildRows(path); err != nil {
			return err
		}
		seconds = append(seconds, time.Since(start).Seconds())
	}
	about := fmt.Sprintf("%s, %d MB, %d rows: ", filepath.Base(path), info.Size()/1e6, len(table.PCs))
	size := 4*len(table.PCs) + 2*len(table.Rules) + int(unsafe.Sizeof(unwind.Rule{}))*len(table.Set)
	perRow := float64(size) / float64(len(table.PCs))
	s.table.printAlone(about+"seconds to build", summary(seconds), 1)
	s.table.printAlone(about+"bytes per row", summary([]float64{perRow}), 12)
	return nil
}

func buildRows(path string) (*unwind.Table, error) {
	file, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, addr, err := file.EhFrame()
	if err != nil {
		return nil, err
	}
	table, _, err := unwind.Build(unwind.Section{Data: data, Addr: addr, Machine: file.Machine})
	return table, err
}
