//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// addressRoom returns an error if the tables would take more than half of the addresses that RLIMIT_AS leaves: then it is the
// program that could not map memory later. The kernel counts all addresses of the tables from the start, used or not. Against
// RLIMIT_DATA, and where it promises no more memory than there is (vm.overcommit_memory=2), only what is used of the tables
// counts: see region_allow; so it is for what hooks work in (cgo/slots.h).
func addressRoom(tableBytes int64) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return nil
	}
	return addressesUnder(int64(limit.Cur), addressBytes(), tableBytes)
}

func addressesUnder(limit, taken, tableBytes int64) error {
	if left := max(0, limit-taken); tableBytes > left/2 {
		return fmt.Errorf("the process may have %d bytes of addresses more (RLIMIT_AS is %d), and tables of %d would take more than half of "+
			"them from the program: set Config.TableBytes (with auto, CGOHEAP_TABLE_BYTES) to %d or less, or raise the limit", left, limit, tableBytes, left/2)
	}
	return nil
}

// addressBytes returns how many bytes of addresses the process has; 0 if that cannot be read.
func addressBytes() int64 {
	text, _ := descriptor.ReadFile(descriptor.Self("/proc") + "/statm") // without it, the limit alone counts
	pages, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseInt(pages, 10, 64)
	return n * int64(os.Getpagesize())
}
