package remote

import (
	"errors"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapFile returns the first bytes of a file as memory. What the file has no data for is memory of the process that nothing was
// ever stored in, because reading a hole of a file on tmpfs gives it a page, and the volume may be full. Data is copied if
// there are at most so many bytes of it. Otherwise it is mapped, and the kernel may drop its pages and read them again. Only what is
// copied is ever writable, and counts against RLIMIT_DATA.
func mapFile(file *os.File, bytes int, mostCopied int64) (memory []byte, unmap func(), err error) {
	if memory, err = unix.Mmap(-1, 0, bytes, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE); err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	unmap = func() { _ = unix.Munmap(memory) }
	parts, err := dataOf(file, int64(bytes))
	var all int64
	for _, p := range parts {
		all += p.limit - p.start
	}
	for i := 0; i < len(parts) && err == nil; i++ {
		if p := parts[i]; all <= mostCopied {
			err = copyPart(file, memory[p.start:p.limit], p.start)
		} else {
			err = mapPart(file, memory, p)
		}
	}
	if err != nil {
		unmap()
		return nil, nil, err
	}
	return memory, unmap, nil
}

func copyPart(file *os.File, to []byte, from int64) error {
	if err := unix.Mprotect(to, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return os.NewSyscallError("mprotect", err)
	}
	_, err := file.ReadAt(to, from)
	return err
}

func mapPart(file *os.File, memory []byte, p part) error {
	_, err := unix.MmapPtr(int(file.Fd()), p.start, unsafe.Pointer(&memory[p.start]), uintptr(p.limit-p.start), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_FIXED)
	return os.NewSyscallError("mmap", err)
}

// together is the largest hole between two parts that are one: a process may have 65,530 mappings.
const together = 64 << 10

// dataOf returns the parts of the first bytes of a file that may have data, of whole pages.
func dataOf(file *os.File, bytes int64) (parts []part, err error) {
	page := int64(os.Getpagesize())
	for at := int64(0); at < bytes; {
		start, err := unix.Seek(int(file.Fd()), at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) { // only a hole from here on
			return parts, nil
		}
		if err != nil {
			return nil, os.NewSyscallError("lseek", err)
		}
		limit, err := unix.Seek(int(file.Fd()), start, unix.SEEK_HOLE)
		if err != nil {
			return nil, os.NewSyscallError("lseek", err)
		}
		if limit <= start {
			return nil, io.ErrUnexpectedEOF
		}
		next := part{start &^ (page - 1), min((limit+page-1)&^(page-1), bytes)}
		if last := len(parts) - 1; last >= 0 && next.start-parts[last].limit <= together {
			parts[last].limit = next.limit
		} else if next.start < next.limit {
			parts = append(parts, next)
		}
		at = limit
	}
	return parts, nil
}

// readings are how all parts of a changing file are read, one after the other. What lies in once is left to the first.
var readings = [...]func(file *os.File, to []byte, from int64, once part) error{
	func(file *os.File, to []byte, from int64, _ part) error { return copyPart(file, to, from) }, fillPart,
}

// copyChanging returns a copy of the first bytes of a file to which a program adds records, without some parts, as living.go says. A part is
// read once.
func copyChanging(file *os.File, bytes int64, without []part, once part) (memory []byte, unmap func(), err error) {
	if memory, err = unix.Mmap(-1, 0, int(bytes), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE); err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	for _, read := range readings {
		parts, failed := dataOf(file, bytes)
		err = failed
		for _, p := range except(parts, without) {
			if err == nil {
				err = read(file, memory[p.start:p.limit], p.start, once)
			}
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, unix.Munmap(memory))
	}
	return memory, func() { _ = unix.Munmap(memory) }, nil
}

// fillPart reads a part again, and takes of it what was zero, but nothing that lies in once.
func fillPart(file *os.File, to []byte, from int64, once part) error {
	if err := unix.Mprotect(to, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return os.NewSyscallError("mprotect", err)
	}
	again := make([]byte, min(chunk, len(to)))
	for len(to) > 0 {
		n := min(len(again), len(to))
		if _, err := file.ReadAt(again[:n], from); err != nil {
			return err
		}
		old, now := wordsIn(to[:n]), wordsIn(again[:n])
		for i := range old {
			if at := from + 4*int64(i); old[i] == 0 && (at < once.start || at >= once.limit) {
				old[i] = now[i]
			}
		}
		to, from = to[n:], from+int64(n)
	}
	return nil
}

func wordsIn(b []byte) []uint32 { return unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), len(b)/4) }

// except returns what is left of parts without others, in whole pages.
func except(parts, without []part) []part {
	page := int64(os.Getpagesize())
	for _, w := range without {
		var left []part
		for _, p := range parts {
			before, after := part{p.start, min(p.limit, (w.start+page-1)&^(page-1))}, part{max(p.start, w.limit&^(page-1)), p.limit}
			for _, p := range []part{before, after} {
				if p.start < p.limit {
					left = append(left, p)
				}
			}
		}
		parts = left
	}
	return parts
}
