package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/symbolize"
)

func main() {
	times := flag.Int("n", 1000, "how often to kill")
	at := flag.String("at", strings.Join(instants, " "), "when")
	dir := flag.String("dir", "", "where the boxes lie (default a new folder)")
	seed := flag.Uint64("seed", 0, "of the instants; 0 for any")
	serves := flag.String("serve", "", "be the service, with the truth in this file")
	flag.Parse()
	err := error(nil)
	if *serves != "" {
		err = serve(*serves, *dir)
	} else {
		err = run(*times, strings.Fields(*at), *dir, *seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kill:", err)
		os.Exit(1)
	}
}

func run(times int, at []string, dir string, seed uint64) (err error) {
	folder, err := os.MkdirTemp(dir, "cgoheap-kill-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if seed == 0 {
		seed = rand.Uint64()
	}
	k := killer{folder: folder, random: rand.New(rand.NewPCG(seed, 1)), names: symbolize.New(symbolize.Options{})}
	bad := 0
	for _, instant := range at {
		if !slices.Contains(instants, instant) {
			return fmt.Errorf("-at is %q: it must be some of %v", instant, instants)
		}
		c, err := k.kill(instant, times)
		if err != nil {
			return err
		}
		fmt.Printf("%-5s %d kills (seed %d): %v\n", instant, times, seed, c)
		bad += c.wrong + c.unreadable
	}
	if bad > 0 {
		return errors.New("not all is right")
	}
	return nil
}

// killer kills services and judges what they leave.
type killer struct {
	folder string
	random *rand.Rand
	names  *symbolize.Symbolizer
}

// kill kills so many times at instants of a kind.
func (k *killer) kill(instant string, times int) (c counts, err error) {
	for i := range times {
		boxes := filepath.Join(k.folder, fmt.Sprint(instant, i))
		if err := os.MkdirAll(recoverDir(boxes), 0o700); err != nil {
			return c, err
		}
		if instant == "two" {
			err = k.two(boxes, &c)
		} else {
			err = k.one(boxes, instant, &c)
		}
		if err = errors.Join(err, os.RemoveAll(boxes)); err != nil {
			return c, err
		}
	}
	return c, nil
}
