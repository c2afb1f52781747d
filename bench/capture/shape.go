package main

import "fmt"

// shape is a variant of the work.
type shape struct {
	threads int
	tight   bool // the loop is at the bottom of the calls
	framed  bool // C keeps frame pointers
	routes  int  // the logarithm of the number of stacks
}

func (s shape) String() string {
	about := fmt.Sprint(s.threads, " thread")
	if s.threads > 1 {
		about += "s"
	}
	if s.framed {
		about += ", frame pointers"
	}
	if s.tight {
		about += ", tight loop"
	}
	if s.routes > 0 {
		about += fmt.Sprintf(", %d stacks", 1<<s.routes)
	}
	return about
}

// segments is how many segments the pairs of a round are measured in.
const segments = 20

// paced returns the flags of load for that many pairs in a round.
func paced(pairs int) []string {
	return []string{"-paced=1", fmt.Sprint("-segments=", segments), fmt.Sprint("-pairs=", pairs/segments)}
}

func (s shape) flags(pairs int) []string {
	flags := append(paced(pairs), fmt.Sprint("-threads=", s.threads), fmt.Sprint("-routes=", s.routes))
	if s.tight {
		flags = append(flags, "-climb=0")
	}
	return flags
}

// programs builds the work with cgoheap, and the work in C alone.
func (s shape) programs() (with, alone string, err error) {
	var tags []string
	if s.framed {
		tags = append(tags, "framed")
	}
	if with, err = loadGo(tags...); err != nil {
		return "", "", err
	}
	alone, err = loadC(s.framed)
	return with, alone, err
}
