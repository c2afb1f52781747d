package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/cgoheap/cgoheap"
)

func main() {
	path := flag.String("o", "whole-heap.pb.gz", "where the profile goes")
	flag.Parse()
	if err := run(*path, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "whole-heap:", err)
		os.Exit(1)
	}
}

// run fills an archive, writes a profile of all memory, and prints what is in it.
func run(path string, out io.Writer) (err error) {
	profiler, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, profiler.Stop()) }()
	var a archive
	defer a.close()
	for number := range pageCount {
		a.add(newPage(number))
	}
	if err := writeProfile(profiler, path); err != nil {
		return err
	}
	return report(path, out)
}

func writeProfile(profiler *cgoheap.Profiler, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	runtime.GC() // Go's heap is as it was after the last collection
	err = profiler.Write(file, cgoheap.Selection{GoHeap: true})
	return errors.Join(err, file.Close())
}
