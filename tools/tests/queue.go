package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// turn is where a folder's output goes: it is kept until it is the folder's turn, and from then on passed on at once.
type turn struct {
	mu   sync.Mutex
	kept bytes.Buffer
	out  io.Writer // nil: not its turn yet
}

func (t *turn) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out == nil {
		return t.kept.Write(b)
	}
	return t.out.Write(b)
}

// begin passes on what was kept.
func (t *turn) begin(out io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.kept.WriteTo(out)
	t.out = out
}

// testAll runs go test in all folders, whether it fails in some of them or not, and in some at once: a module's last package
// often runs alone, and waits. The output is in the order of the folders.
func (o options) testAll(out io.Writer) counts {
	turns, results := make([]turn, len(o.folders)), make([]counts, len(o.folders))
	done := make([]chan struct{}, len(o.folders))
	next := make(chan int, len(o.folders))
	for i := range o.folders {
		done[i] = make(chan struct{})
		next <- i
	}
	close(next)
	for range o.atOnce {
		go func() {
			for i := range next {
				results[i] = o.testTimed(o.folders[i], &turns[i])
				close(done[i])
			}
		}()
	}
	var all counts
	for i := range turns {
		turns[i].begin(out)
		<-done[i]
		all.add(results[i])
	}
	return all
}

func (o options) testTimed(folder string, out io.Writer) counts {
	fmt.Fprintf(out, "== %s: go test %s\n", folder, strings.Join(o.args, " "))
	begin := time.Now()
	c := o.test(folder, &reader{out: out})
	fmt.Fprintf(out, "== %s: %.0f s\n", folder, time.Since(begin).Seconds())
	return c
}
