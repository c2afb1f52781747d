package account

import (
	"os"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

var pageSize = os.Getpagesize()

// Borders between mappings move while they are listed. Each page is listed once all the same.
func TestAreasAreDisjointWhileBordersMove(t *testing.T) {
	memory, err := unix.Mmap(-1, 0, 1500*pageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(memory)
	var stop atomic.Bool
	done := make(chan error, 1)
	go func() { done <- moveBorders(memory, &stop) }()
	for range 200 {
		var last area
		for a, err := range areas("/proc/self/maps") {
			if err != nil {
				t.Fatal(err)
			}
			if a.Start < last.Limit {
				t.Fatalf("%#x is listed after %#x", a.Range, last.Range)
			}
			last = a
		}
	}
	stop.Store(true)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// moveBorders gives the middle of each three pages to the first, then to the last, and so on.
func moveBorders(memory []byte, stop *atomic.Bool) (err error) {
	for at := 0; at < len(memory) && err == nil; at += 3 * pageSize {
		err = unix.Mprotect(memory[at:at+pageSize], unix.PROT_READ)
	}
	for turn := 0; err == nil && !stop.Load(); turn++ {
		protection := unix.PROT_READ
		if turn%2 == 0 {
			protection |= unix.PROT_WRITE
		}
		for at := pageSize; at < len(memory) && err == nil; at += 3 * pageSize {
			err = unix.Mprotect(memory[at:at+pageSize], protection)
		}
	}
	return err
}
