package main

// #include "storm.h"
import "C"

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/truth"
)

// fewStale addresses of lost blocks may still stand somewhere on a stack. One look in some thousand meets as many as 12.
const plantedSize, plantedBlocks, fewStale = 3000, 512, 24

// runTwins has copies of the process look for lost blocks amid a storm. Each must find the blocks that were lost on purpose before,
// and nothing else: all others are in tables. In the end it checks what the process holds, and that it has no children.
func runTwins(to io.Writer, count int) error {
	folder, err := os.MkdirTemp("", "cgoheap-stress-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := buildLibraries(folder); err != nil {
		return err
	}
	if !C.stress_make_rooms() {
		return errors.New("there is no room for pages beside stacks")
	}
	defer giveUp(time.Duration(count)*30*time.Second + 10*time.Minute).Stop()
	s := storm{entrances: entrances()}
	s.judge = newJudge(sites(s.entrances))
	p, err := s.start(everything)
	if err != nil {
		return err
	}
	C.stress_lose(plantedSize)
	s.lookAmid(to, p, warming) // which makes all threads
	before, err := used()
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "%6d copies: %v\n", warming, before)
	first, err := p.Account()
	if err != nil {
		return err
	}
	begin := time.Now()
	s.lookAmid(to, p, count)
	after, err := used()
	fmt.Fprintf(to, "%6d copies: %v\n", warming+count, after)
	last, accountErr := p.Account()
	if err := errors.Join(err, accountErr); err != nil {
		return err
	}
	err = errors.Join(before.amid(time.Since(begin)).grown(after), mappedMore(first, last), childless())
	if err != nil {
		fmt.Fprintf(to, "before: %v\nafter: %v\n", first, last)
	}
	if err != nil {
		return err
	}
	if err := end(p); err != nil {
		return err
	}
	if s.judge.faults > 0 || event(C.FAILURES) > 0 {
		return fmt.Errorf("%d wrong", s.judge.faults)
	}
	return nil
}

const warming = 10

// mappedMore returns an error if memory has grown that somebody mapped. Copies that leave something behind leave that: they take
// no memory of malloc's.
func mappedMore(first, last *cgoheap.Account) error {
	const few = 1 << 20
	mapped := func(a *cgoheap.Account) (sum int64) {
		for _, line := range a.Lines {
			switch line.Name {
			case "mapped directly", "mapped, caller unknown", "stacks of ended threads", "unexplained":
				sum += line.Resident
			}
		}
		return sum
	}
	if before, now := mapped(first), mapped(last); now > before+few {
		return fmt.Errorf("memory that was mapped grew from %d to %d bytes", before, now)
	}
	return nil
}

// lookAmid has so many copies look amid a storm, and prints each tenth.
func (s *storm) lookAmid(to io.Writer, p *cgoheap.Profiler, count int) {
	workers := s.begin()
	defer workers.end()
	time.Sleep(2 * time.Second) // younger blocks do not count
	for made := 0; made < count; made += copiesOfLook {
		s.look(p)
		if tenth := count / 10; tenth > 0 && made/tenth != (made+copiesOfLook)/tenth {
			now, _ := used() // for a person who waits
			fmt.Fprintf(to, "%6d of %d: %v\n", min(made+copiesOfLook, count), count, now)
		}
	}
}

// copiesOfLook is how many copies a look makes, because the first finds lost blocks.
const copiesOfLook = 2

// look looks once.
func (s *storm) look(p *cgoheap.Profiler) {
	s.judge.dumps++
	found, err := truth.TakeView(p, cgoheap.ViewUnreachable(0, false))
	if err != nil {
		s.judge.fault("looking for lost blocks: %v", err)
		return
	}
	lost := int64(0)
	for _, sample := range found.Sample {
		if truth.BlockSize(sample) == plantedSize && has(sample, "stress_lost") {
			lost += sample.Value[0]
		} else {
			s.judge.fault("%d blocks of %v bytes count as lost, of the stack %v", sample.Value[0], sample.NumLabel["bytes"], truth.Names(sample))
		}
	}
	if lost < plantedBlocks-fewStale || lost > plantedBlocks {
		s.judge.fault("%d blocks were found to be lost, want %d", lost, plantedBlocks)
	}
}

func has(sample *profile.Sample, function string) bool {
	for _, name := range truth.Names(sample) {
		if name == function {
			return true
		}
	}
	return false
}

// childless returns an error if the process has a child of any kind, running or not.
func childless() error {
	pid, err := unix.Wait4(-1, nil, unix.WNOHANG|unix.WALL, nil)
	if !errors.Is(err, unix.ECHILD) {
		return fmt.Errorf("a child is left: %d, %w", pid, err)
	}
	return nil
}
