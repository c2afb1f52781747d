package account

import (
	"bytes"
	"path/filepath"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// Break returns the program's data segment behind its file's own, which brk makes larger, as whole pages. It may be empty.
func Break(proc string) ([]Range, error) {
	if start, ok := startOfBreak(proc); ok {
		if limit := endOfBreak(); start < limit {
			return wholePages([]Range{{start, limit}}), nil
		}
	}
	return listedBreak(filepath.Join(descriptor.Self(proc), "maps"))
}

// startOfBreak reads the field start_brk of /proc/self/stat: proc(5). It is 0 where the kernel does not say.
func startOfBreak(proc string) (uint64, bool) {
	const field, afterName = 47, 3
	text, err := descriptor.ReadFile(filepath.Join(descriptor.Self(proc), "stat"))
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) <= field-afterName {
		return 0, false
	}
	start, ok := number(fields[field-afterName], 10)
	return start, ok && start != 0
}

// listedBreak looks for it in the list of mappings, which takes longer if that is long.
func listedBreak(maps string) (ranges []Range, err error) {
	for a, err := range areas(maps) {
		if err != nil {
			return nil, err
		}
		if a.nature() == brk {
			ranges = append(ranges, a.Range)
		}
	}
	return ranges, nil
}
