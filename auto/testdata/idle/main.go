// Command idle imports auto and prints what a program sees of that: how many goroutines there are, and their stacks. Its
// arguments are done in turn: "wait" waits until there is one goroutine and prints that, "dump" has a dump made.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	_ "github.com/cgoheap/cgoheap/auto"
)

func main() {
	report()
	for _, argument := range os.Args[1:] {
		switch argument {
		case "dump":
			dump()
		case "wait":
			for seen() != alone {
				time.Sleep(time.Millisecond)
			}
			report()
		}
	}
}

const alone = "1 goroutines, 1 in their stacks"

// report prints what is seen once no goroutine is left that only has to end: a busy machine may not have let it. The last that one of
// the profiler's does is to wake who waits for it.
func report() {
	text := seen()
	for strings.Contains(text, "runtime.goexit1(") || strings.Contains(text, "background.(*alert).raise(") {
		time.Sleep(time.Millisecond)
		text = seen()
	}
	fmt.Println(text)
}

// seen returns the number of goroutines, and their stacks if there is more than this one.
func seen() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	text := fmt.Sprintf("%d goroutines, %d in their stacks", runtime.NumGoroutine(), bytes.Count(stacks, []byte("goroutine ")))
	if text != alone {
		text += fmt.Sprintf("\n%s", stacks)
	}
	return text
}

// dump sends the signal, as a program that has changed its arguments, and waits for the file.
func dump() {
	arguments := os.Args
	os.Args = nil
	defer func() { os.Args = arguments }()
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR2); err != nil {
		fmt.Println(err)
	}
	for {
		if found, _ := filepath.Glob(filepath.Join(os.Getenv("CGOHEAP_DUMP_DIR"), "*.cgoheap.pb.gz")); len(found) > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
