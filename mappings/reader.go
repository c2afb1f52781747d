package mappings

import (
	"io"
	"math"
)

// Memory reads this process's memory by runtime address, through the kernel: unreadable memory is an error, not a fault.
type Memory struct{}

// ReadAt reads up to the first unreadable byte.
func (Memory) ReadAt(to []byte, address int64) (int, error) {
	if len(to) == 0 {
		return 0, nil
	}
	if address < 0 || address > math.MaxInt64-int64(len(to)) {
		return 0, io.EOF
	}
	n, err := self.readMemory(to, RuntimeAddr(address))
	if n == len(to) {
		return n, nil
	}
	if err == nil {
		err = io.EOF
	}
	return n, err
}
