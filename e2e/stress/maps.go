package main

// #include "map.h"
// #include "storm.h"
import "C"

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
)

// runMaps lets eight threads map, unmap, move, map over and fork, while Go's heap grows, and compares what is recorded with the
// kernel's list, page by page, whenever they rest. First they do so each in pages of its own, then all in the same, where only what
// is known must be right.
func runMaps(to io.Writer, length time.Duration) error {
	defer giveUp(2*length + 10*time.Minute).Stop()
	file := C.stress_begin_maps()
	if file < 0 {
		return errors.New("there is no file, or no room, to map")
	}
	for _, together := range []bool{false, true} {
		s := mapStorm{together: together}
		if err := s.run(length / 2); err != nil {
			return err
		}
		fmt.Fprintf(to, "%s: %d rests, %d pages compared, %d of unknown caller, %d calls lost\n",
			map[bool]string{false: "each in its own pages", true: "all in the same pages"}[together], s.rests, s.pages, s.unknown, s.lost)
	}
	if n := event(C.FAILURES); n > 0 {
		return fmt.Errorf("%d calls failed", n)
	}
	return nil
}

// mapStorm is a storm of calls that map memory, in one recording.
type mapStorm struct {
	together bool
	held     [][]byte

	rests, pages, unknown int
	strange               string // the first page of unknown caller of this rest
	lost                  uint64
}

func (s *mapStorm) run(length time.Duration) error {
	r, err := alloc.Start(alloc.Options{SampleBytes: 512 << 10, MaxDepth: 64, TableBytes: 64 << 20})
	if err != nil {
		return err
	}
	err = s.storm(r, length)
	C.stress_unmap_all()
	return errors.Join(err, r.Stop())
}

func (s *mapStorm) storm(r *alloc.Recording, length time.Duration) error {
	for over := time.Now().Add(length); time.Now().Before(over); s.rests++ {
		var workers sync.WaitGroup
		for i := range C.STRESS_MAPPERS {
			workers.Go(func() { C.stress_map(C.int(i), C.bool(s.together), 500) })
		}
		s.held = append(s.held[:len(s.held)%8], make([]byte, 8<<20)) // Go maps meanwhile
		workers.Wait()
		if err := s.compare(r); err != nil {
			return fmt.Errorf("rest %d: %w", s.rests, err)
		}
	}
	return nil
}

// fileRange is a line of the kernel's list.
type fileRange struct {
	start, limit, offset uint64
	storm                bool // of the storm's file
}

func kernelsList() (list []fileRange, err error) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var k fileRange
		var rights string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s %x", &k.start, &k.limit, &rights, &k.offset); err != nil {
			return nil, err
		}
		k.storm = strings.Contains(lines.Text(), " /memfd:storm ") // not by its inode: a segment of shmget may have the same number
		list = append(list, k)
	}
	return list, nil
}

// compare reads what is recorded while the workers rest.
func (s *mapStorm) compare(r *alloc.Recording) error {
	var kernel []fileRange
	list, err := r.Mappings(func() (err error) { kernel, err = kernelsList(); return err })
	if err != nil {
		return err
	}
	for _, c := range r.Counters() {
		if c.Name == "lost_mapped" {
			s.lost = c.Count
		}
	}
	if err := mappedWhole(list, kernel); err != nil {
		return err
	}
	unknown := s.unknown
	s.strange = ""
	for _, k := range kernel {
		if k.storm {
			if err := s.compareRange(list, k); err != nil {
				return err
			}
		}
	}
	if !s.together && s.lost == 0 && s.unknown > unknown {
		return fmt.Errorf("%d pages are of unknown caller, and no call was lost: %s", s.unknown-unknown, s.strange)
	}
	return nil
}

// mappedWhole checks that the kernel's list has all that is recorded. Both are in the order of addresses.
func mappedWhole(list []alloc.Mapping, kernel []fileRange) error {
	for i := range list {
		at := list[i].Start
		for _, k := range kernel {
			if k.start <= at && at < k.limit {
				at = min(k.limit, list[i].Limit)
			}
		}
		if at != list[i].Limit {
			return fmt.Errorf("%#x to %#x is recorded, and at %#x nothing is mapped", list[i].Start, list[i].Limit, at)
		}
	}
	return nil
}

func (s *mapStorm) compareRange(list []alloc.Mapping, k fileRange) error {
	var before alloc.Mapping
	for page := k.start; page < k.limit; page += C.STRESS_PAGE {
		s.pages++
		for len(list) > 0 && list[0].Limit <= page {
			before, list = list[0], list[1:]
		}
		if len(list) == 0 || page < list[0].Start {
			if s.unknown++; s.strange == "" {
				s.strange = fmt.Sprintf("%#x of %+v, before it %+v, after it %+v", page, k, before, list[:min(1, len(list))])
			}
			continue
		}
		code := (k.offset + page - k.start) / C.STRESS_PAGE / C.STRESS_SPAN % C.STRESS_CODES
		asked := list[0].Length % C.STRESS_PAGE
		if moved := asked == 0; !moved && C.STRESS_PAGE-asked != code || list[0].ID == 0 {
			return fmt.Errorf("%#x is of call %d, and recorded as %+v", page, code, list[0])
		}
	}
	return nil
}
