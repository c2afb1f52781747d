package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
)

// counts is what came of the kills.
type counts struct {
	phases                             [4]int // of those that were killed
	boxes, notBegun, wrong, unreadable int
	recovered                          int // of the boxes, by the other service
	dumping, dumps, begun              int // killed while it wrote a profile; profiles that it finished, and did not
}

func (c counts) String() string {
	return fmt.Sprintf("%d while it recorded, %d of them wrote a profile, %d in a start, %d in a stop, %d between; %d boxes, %d of them not begun, %d recovered by the other; %d dumps whole, %d begun; %d wrong, %d unreadable",
		c.phases[recording], c.dumping, c.phases[starting], c.phases[stopping], c.phases[between], c.boxes, c.notBegun, c.recovered, c.dumps, c.begun, c.wrong, c.unreadable)
}

// judge compares the boxes in a directory with the truths of those that were killed. The last of these was killed just now.
func (k *killer) judge(boxes string, truths []*truth, c *counts) error {
	paths, err := blackbox.Names(boxes)
	if err != nil {
		return err
	}
	last := truths[len(truths)-1]
	c.phases[now(last)]++
	if writes(last) {
		c.dumping++
	}
	dead, recovered, err := k.judgeRecovered(boxes, truths, c) // first: what is recovered later is still a box now, or was judged
	if err != nil {
		return err
	}
	for _, path := range paths {
		k.judgeBox(path, truths, c)
		dead++
	}
	least, most := 0, 0
	for _, t := range truths {
		if now(t) == recording {
			least++
		}
		if now(t) != between {
			most++
		}
	}
	if dead < least || dead > most+recovered { // whoever recovered a box may have been killed before it could remove it
		c.unreadable++
		fmt.Printf("%d boxes, %d of them recovered, and there must be from %d to %d\n", dead, recovered, least, most)
	}
	return c.judgeDumps(boxes)
}

// judgeBox judges a box. It must be that of one of the truths, of which none runs any more.
func (k *killer) judgeBox(path string, truths []*truth, c *counts) {
	text, err := k.profileOf(path)
	c.boxes++
	switch {
	case errors.Is(err, remote.ErrNotBegun) && anyIs(truths, starting):
		c.notBegun++
	case err != nil:
		c.unreadable++
		fmt.Println(err)
	default:
		c.judgeProfile(text, truths)
	}
}

// judgeProfile judges a profile, which must be that of one of the truths.
func (c *counts) judgeProfile(text []byte, truths []*truth) {
	var faults []string
	for _, t := range truths {
		if faults = faultsOf(t, text); len(faults) == 0 {
			return
		}
	}
	c.wrong++
	fmt.Println(strings.Join(faults, "\n"))
}

// judgeRecovered judges what a service has recovered of the other's box at its start.
func (k *killer) judgeRecovered(boxes string, truths []*truth, c *counts) (dead, recovered int, err error) {
	paths, err := filepath.Glob(filepath.Join(recoverDir(boxes), "*.pb.gz"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, 0, err
		}
		c.boxes++
		c.recovered++
		c.judgeProfile(text, truths)
	}
	return len(paths), len(paths), err
}

func anyIs(truths []*truth, phase uint64) bool {
	for _, t := range truths {
		if now(t) == phase {
			return true
		}
	}
	return false
}

func (k *killer) profileOf(path string) ([]byte, error) {
	file, err := blackbox.Open(path, blackbox.Options{Within: patience})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := remote.ReadBox(file)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = r.Write(&b, remote.View{View: report.InUse}, k.names)
	return b.Bytes(), err
}

// judgeDumps checks the profiles that the service has written itself: what has the name of one must be whole.
func (c *counts) judgeDumps(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".pb.gz") {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			if faults, err := check.Profile(bytes.NewReader(text)); err != nil || len(faults) > 0 {
				c.wrong++
				fmt.Println(name, faults, err)
			}
			c.dumps++
		} else if !strings.HasSuffix(name, ".box") && !strings.HasPrefix(name, "truth") && name != recoverName {
			c.begun++
		}
	}
	return nil
}
