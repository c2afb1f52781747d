package blackbox

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/layout"
)

// Segment is shared memory (System V) for the tables of a process that this one starts. It is gone when both have ended, however that was.
// A nil one is of no process.
type Segment struct {
	number int
	token  uint64 // at its end, for the process to know it by
	memory []byte
}

// NewSegment makes a segment of so many bytes. It fails where calls may be filtered: a filter may end the process that makes them, or the one
// that is to attach it. It fails as well where the kernel does not promise so much memory.
func NewSegment(size int64) (*Segment, error) {
	if mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err == nil && mode != 0 {
		return nil, unix.EPERM
	}
	number, err := unix.SysvShmGet(unix.IPC_PRIVATE, int(size), unix.IPC_CREAT|0o600)
	if err != nil {
		return nil, err
	}
	memory, err := unix.SysvShmAttach(number, 0, 0)
	if _, failed := unix.SysvShmCtl(number, unix.IPC_RMID, nil); err == nil { // it stays until nobody has it attached
		err = failed
	}
	if err != nil {
		return nil, err
	}
	var token [8]byte
	_, _ = rand.Read(token[:]) // it does not fail
	token[0] |= 1
	copy(memory[len(memory)-len(token):], token[:])
	return &Segment{number, binary.NativeEndian.Uint64(token[:]), memory}, nil
}

// String returns it as the process is told of it: see settings.h of package preload.
func (s *Segment) String() string {
	if s == nil {
		return "0:0"
	}
	return fmt.Sprintf("%d:%x", s.number, s.token)
}

// Begun returns whose recording is in it, and when that began, in nanoseconds since 1970; 0 and 0 if there is none.
func (s *Segment) Begun() (pid int, started uint64) {
	if s == nil || binary.NativeEndian.Uint64(s.memory) != layout.Magic {
		return 0, 0
	}
	return int(binary.NativeEndian.Uint32(s.memory[layout.HeaderPid:])), binary.NativeEndian.Uint64(s.memory[layout.HeaderStarted:])
}

// Attached reports whether another process has it attached.
func (s *Segment) Attached() bool {
	var about unix.SysvShmDesc
	_, err := unix.SysvShmCtl(s.number, unix.IPC_STAT, &about)
	return err == nil && about.Nattch > 1
}

// Memory returns all of it, until Remove.
func (s *Segment) Memory() []byte { return s.memory }

// Save writes it to a new file, which is then a box: what is used of it, and a hole.
func (s *Segment) Save(path string) error {
	file, err := descriptor.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	used := min(binary.NativeEndian.Uint64(s.memory[layout.HeaderUsed:]), uint64(len(s.memory)))
	return errors.Join(descriptor.Quietly(func() error {
		_, err := file.Write(s.memory[:used])
		return errors.Join(err, file.Truncate(int64(len(s.memory))))
	}), file.Close())
}

// Remove detaches it. It is not to be used afterwards.
func (s *Segment) Remove() error { return unix.SysvShmDetach(s.memory) }
