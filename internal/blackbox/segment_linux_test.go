package blackbox

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// The kernel removes it with its last process, however that ends, because it is marked to be removed from the beginning.
func TestASegmentIsGoneWithItsLastProcess(t *testing.T) {
	s, err := NewSegment(1 << 20)
	toolchain.NeedsSegment(t, err)
	if err != nil {
		t.Fatal(err)
	}
	var about unix.SysvShmDesc
	const marked = 0o1000 // SHM_DEST of linux/shm.h
	if _, err := unix.SysvShmCtl(s.number, unix.IPC_STAT, &about); err != nil || about.Perm.Mode != marked|0o600 || s.Attached() {
		t.Errorf("%v, %+v", err, about)
	}
	other, err := unix.SysvShmAttach(s.number, 0, 0)
	if err != nil || !s.Attached() {
		t.Fatal(err)
	}
	if err := errors.Join(unix.SysvShmDetach(other), s.Remove()); err != nil {
		t.Error(err)
	}
	if _, err := unix.SysvShmCtl(s.number, unix.IPC_STAT, &about); !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EIDRM) {
		t.Error(err)
	}
}
