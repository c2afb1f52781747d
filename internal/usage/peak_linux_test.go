package usage

import (
	"syscall"
	"testing"
)

// touched maps memory and makes it resident: not Go's own, which may be resident already.
func touched(t *testing.T, bytes int) (free func()) {
	t.Helper()
	block, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	return func() {
		if err := syscall.Munmap(block); err != nil {
			t.Error(err)
		}
	}
}

func TestRunningProcessHasResidentMemory(t *testing.T) {
	before, err := Running.RSS()
	if err != nil {
		t.Fatal(err)
	}
	defer touched(t, 64<<20)()
	after, err := Running.RSS()
	if err != nil || after < before+32<<20 {
		t.Errorf("%d bytes, then with 64 MiB more %d, %v", before, after, err)
	}
}

func TestThePeakIsThatSinceItsReset(t *testing.T) {
	touched(t, 256<<20)()
	before, err := Running.ResetPeak()
	if err != nil {
		t.Fatal(err)
	}
	touched(t, 64<<20)()
	peak, err := Running.Peak()
	if grown := peak - before; err != nil || grown < 56<<20 || grown > 128<<20 {
		t.Errorf("%d bytes more than %d, %v", grown, before, err)
	}
}
