package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/symbolize"
)

// resolve is our contender: it names the addresses that it reads, writes what addr2line would write, and then names them
// again, as for a second profile of the same process. It writes the time of that to second.
func resolve(file string, in io.Reader, out, second io.Writer) error {
	var addresses []mappings.ELFAddr
	for scanner := bufio.NewScanner(in); scanner.Scan(); {
		address, err := strconv.ParseUint(scanner.Text(), 0, 64)
		if err != nil {
			return err
		}
		addresses = append(addresses, mappings.ELFAddr(address))
	}
	symbolizer, module := symbolize.New(symbolize.Options{Style: symbolize.Full}), &mappings.Module{ID: 1, Path: file}
	results := symbolizer.Resolve(module, addresses)
	if err := write(out, addresses, results); err != nil {
		return err
	}
	start := time.Now()
	symbolizer.Resolve(module, addresses)
	_, err := fmt.Fprintln(second, time.Since(start).Nanoseconds())
	return err
}

// write writes an address, and two lines for each function there.
func write(out io.Writer, addresses []mappings.ELFAddr, results []symbolize.Result) error {
	var text []byte
	buffered := bufio.NewWriter(out)
	for i, result := range results {
		text = strconv.AppendUint(append(text[:0], "0x"...), uint64(addresses[i]), 16)
		text = append(text, '\n')
		for _, line := range result.Lines {
			text = append(append(text, line.Function...), '\n')
			text = strconv.AppendInt(append(append(text, line.File...), ':'), int64(line.Line), 10)
			text = strconv.AppendInt(append(text, ':'), int64(line.Column), 10)
			text = append(text, '\n')
		}
		if _, err := buffered.Write(text); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
