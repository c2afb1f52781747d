package main

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/symbolize"
)

// resolve is our contender: it names the addresses that it reads, writes what addr2line would, and then does the same
// again, as for a second profile of the same process. How long that took is written to second.
func resolve(file string, in io.Reader, out, second io.Writer) error {
	var addresses []mappings.ELFAddr
	for scanner := bufio.NewScanner(in); scanner.Scan(); {
		var address uint64
		if _, err := fmt.Sscanf(scanner.Text(), "0x%x", &address); err != nil {
			return err
		}
		addresses = append(addresses, mappings.ELFAddr(address))
	}
	symbolizer, module := symbolize.New(symbolize.Options{Style: symbolize.Full}), &mappings.Module{ID: 1, Path: file}
	results := symbolizer.Resolve(module, addresses)
	buffered := bufio.NewWriter(out)
	for i, result := range results {
		fmt.Fprintf(buffered, "%#x\n", uint64(addresses[i]))
		for _, line := range result.Lines {
			fmt.Fprintf(buffered, "%s\n%s:%d:%d\n", line.Function, line.File, line.Line, line.Column)
		}
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	start := time.Now()
	symbolizer.Resolve(module, addresses)
	_, err := fmt.Fprintln(second, time.Since(start).Nanoseconds())
	return err
}
