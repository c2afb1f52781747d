package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	var w work
	flag.IntVar(&w.pairs, "pairs", 1_000_000, "pairs of malloc and free in a segment")
	flag.IntVar(&w.live, "live", 4096, "blocks that live at any time, a power of two")
	flag.IntVar(&w.depth, "depth", 9, "calls of C above the one that allocates")
	flag.IntVar(&w.climb, "climb", 1, "1: each allocation goes down these calls; 0: the loop is at the bottom of them")
	flag.IntVar(&w.routes, "routes", 0, "the logarithm of the number of stacks that allocate")
	flag.IntVar(&w.least, "least", 16, "bytes of the smallest block")
	flag.IntVar(&w.most, "most", 512, "bytes of the largest block")
	flag.IntVar(&w.callers, "callers", 0, "calls of Go above the calls of C")
	flag.IntVar(&w.threads, "threads", 1, "how many threads allocate, each this much, or while profiles are written")
	flag.IntVar(&w.segments, "segments", 1, "how often this is measured")
	sample := flag.Int64("sample", 0, "mean bytes between samples; 0 records nothing")
	box := flag.String("box", "", "the directory of a black box; empty for none")
	writing := flag.String("writing", "", "instead, print how long writing much to files in this directory delays others")
	walks := flag.Int("walks", 0, "walk the stack this often, instead of allocating")
	dumps := flag.Int("dumps", 0, "instead, write this many profiles and print how long they delay others")
	held := flag.Int("hold", 0, "allocate this many blocks that stay, before the dumps or instead")
	stacks := flag.Int("stacks", 1, "the stacks of the blocks that stay")
	larges := flag.Bool("large", false, "work with large blocks and aligned ones instead")
	flag.IntVar(&w.paced, "paced", 0, "1: wait for a line of input before each segment")
	flag.Parse()
	recording, err := record(*sample, *box)
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	switch {
	case *walks > 0:
		walk(w.depth, *walks)
	case *larges:
		large()
		err = recording.sampled(zeroed, zeroedBytes)
	case *writing != "":
		err = besideWriting(*writing, w.threads)
	case *dumps > 0:
		hold(*held, *stacks, w.depth)
		err = errors.Join(recording.sampled(*held, heldBytes), delays(recording, *dumps, w.threads))
	case *held > 0:
		err = errors.Join(memory(recording, *held, *stacks, w.depth), recording.sampled(*held, heldBytes))
	default:
		err = w.run(recording)
	}
	if err := errors.Join(err, recording.Stop()); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}
