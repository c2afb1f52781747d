package account

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// area is a mapping, as a line of /proc/self/maps describes it.
type area struct {
	Range
	exec, shared bool
	offset       uint64 // in the file
	inode        uint64 // 0: of no file
	name         []byte // valid until the next areas are read
	reserved     bool   // no code may read, write or execute it
}

// parts yields the mappings of /proc/self/maps, ascending, as many at a time as the kernel lists at once: about 80. It keeps
// none, so it takes the same memory however many there are, and what is yielded is of this moment.
//
// The kernel goes on to list where its last mapping ended. If one that reaches beyond that place has grown meanwhile, it is listed
// again, with its old start:
//
//	listed          │ heap      │
//	it grows        │ heap                │ reserved │
//	listed next     │ heap                │               its first part has been yielded, so only the second is
//
// So the part of a mapping that earlier ones covered is left out. Neighbours that were joined look the same.
func parts(path string) iter.Seq2[[]area, error] {
	return func(yield func([]area, error) bool) {
		f, err := descriptor.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		l := listing{f: f, buffer: make([]byte, mapsBuffer)}
		for {
			part, err := l.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				part, err = nil, fmt.Errorf("%s: %w", path, err)
			}
			if !yield(part, err) || err != nil {
				return
			}
		}
	}
}

// areas yields the mappings of /proc/self/maps one by one.
func areas(path string) iter.Seq2[area, error] {
	return func(yield func(area, error) bool) {
		for part, err := range parts(path) {
			if err != nil {
				yield(area{}, err)
				return
			}
			for i := range part {
				if !yield(part[i], nil) {
					return
				}
			}
		}
	}
}

// mapsBuffer has room for the longest line: a path of a page, each byte of which may be written as four.
const mapsBuffer = 64 << 10

// listing is a file of mappings that is read.
type listing struct {
	f      io.Reader
	buffer []byte
	rest   []byte // of the buffer: the beginning of a line
	part   []area
	limit  uint64 // of the last area
}

// next reads some whole lines. It may return no area. Its error is io.EOF at the end.
func (l *listing) next() ([]area, error) {
	for {
		kept := copy(l.buffer, l.rest)
		n, err := l.f.Read(l.buffer[kept:])
		text := l.buffer[:kept+n]
		whole := bytes.LastIndexByte(text, '\n') + 1
		l.rest = text[whole:]
		switch {
		case whole > 0:
			err = l.parse(text[:whole])
			return l.part, err
		case errors.Is(err, io.EOF) && len(text) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case len(text) == len(l.buffer):
			return nil, bufio.ErrTooLong
		}
	}
}

func (l *listing) parse(text []byte) error {
	l.part = l.part[:0]
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n')
		a, ok := parseArea(text[:end])
		if !ok {
			return fmt.Errorf("%q is not a mapping", text[:end])
		}
		if text = text[end+1:]; a.cutBefore(l.limit) {
			l.part, l.limit = append(l.part, a), a.Limit
		}
	}
	return nil
}

// cutBefore removes what lies before an address, and reports whether something remains.
func (a *area) cutBefore(address uint64) bool {
	if a.Limit <= address {
		return false
	}
	if a.Start < address {
		a.offset += address - a.Start // for an area of no file, 0 or its own address: nobody reads it
		a.Start = address
	}
	return true
}

// parseArea parses "start-limit perms offset device inode     name". Everything behind the padding is the name.
func parseArea(line []byte) (a area, ok bool) {
	var fields [5][]byte
	for i := range fields {
		fields[i], line, _ = bytes.Cut(line, []byte(" "))
	}
	first, second, dashed := bytes.Cut(fields[0], []byte("-"))
	start, startOK := number(first, 16)
	limit, limitOK := number(second, 16)
	offset, offsetOK := number(fields[2], 16)
	inode, inodeOK := number(fields[4], 10)
	perms := fields[1]
	if !dashed || !startOK || !limitOK || !offsetOK || !inodeOK || start >= limit || len(perms) != 4 {
		return a, false
	}
	return area{Range{start, limit}, perms[2] == 'x', perms[3] == 's', offset, inode, bytes.TrimLeft(line, " "), string(perms[:3]) == "---"}, true
}

// number parses an unsigned number in lower case. strconv would make a string of each.
func number(text []byte, base uint64) (n uint64, ok bool) {
	most := (1<<64 - 1 - (base - 1)) / base
	for _, c := range text {
		digit := uint64(c - '0')
		if c >= 'a' {
			digit = uint64(c-'a') + 10
		}
		if digit >= base || n > most {
			return 0, false
		}
		n = n*base + digit
	}
	return n, len(text) > 0
}

// NamedArea is a mapping with the name that the kernel's list has for it.
type NamedArea struct {
	Range
	Name   string // a path, or [stack], [anon:…] and the like; "" for none
	Inode  bool   // it is of a file, or of shared memory
	Shared bool
}

// AreasAt returns, of a list such as /proc/self/maps, the mappings that have one of the addresses, which are ascending. If the
// list cannot be read to its end, it returns those before.
func AreasAt(path string, addresses []uint64) (found []NamedArea, err error) {
	for part, err := range parts(path) {
		if err != nil {
			return found, err
		}
		for i := range part {
			a := &part[i]
			for len(addresses) > 0 && addresses[0] < a.Start {
				addresses = addresses[1:]
			}
			if len(addresses) > 0 && addresses[0] < a.Limit {
				found = append(found, NamedArea{a.Range, string(a.name), a.inode != 0, a.shared})
			}
		}
		if len(addresses) == 0 {
			break
		}
	}
	return found, nil
}
