package main

// #cgo CFLAGS: -O2 -g
// #cgo LDFLAGS: -lpthread
// #include "core.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/truth"
)

const (
	exact    = 0
	wrong    = 1
	refused  = 3
	perVisit = 7
	kept     = 3
)

func main() { os.Exit(Run(os.Args[1:])) }

//export core_run
func core_run(arguments *C.char) C.int { return C.int(Run(strings.Fields(C.GoString(arguments)))) }

//go:noinline
func Run(arguments []string) int {
	if slices.Contains(arguments, "undumpable") && C.core_undumpable() != 0 {
		fmt.Println("the process stays dumpable")
		return wrong
	}
	tables := int64(32 << 20)
	if slices.Contains(arguments, "greedy") {
		tables = 4 << 30
	}
	for range 2 { // the second recording must know nothing of the first
		profiler, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1, TableBytes: tables})
		if err != nil {
			return refusal(err, arguments)
		}
		runtime.LockOSThread() // the thread that has caught exceptions records as before
		notThrown := int(C.core_not_thrown())
		sites := visitAll()
		runtime.UnlockOSThread()
		faults := judge(profiler, sites, arguments)
		if notThrown != 0 {
			faults = append(faults, fmt.Sprintf("%d functions threw no exception", notThrown))
		}
		if err := profiler.Stop(); err != nil {
			faults = append(faults, err.Error())
		}
		sites.free()
		if len(faults) > 0 {
			fmt.Println(strings.Join(faults, "\n"))
			return wrong
		}
		fmt.Println(len(sites), "sites exact")
	}
	if faults := maps(arguments); len(faults) > 0 {
		fmt.Println(strings.Join(faults, "\n"))
		return wrong
	}
	return exact
}

// refusal is the outcome where nothing can be recorded. Allocations must work there as anywhere.
func refusal(err error, arguments []string) int {
	if slices.Contains(arguments, "works") {
		visitAll().free()
		if C.core_work() != 0 {
			fmt.Println("memory was refused, or lost its content")
			return wrong
		}
	}
	fmt.Println("Start:", err)
	return refused
}

func judge(profiler *cgoheap.Profiler, sites sites, arguments []string) []string {
	p, err := truth.Take(profiler)
	if err != nil {
		return []string{err.Error()}
	}
	faults := check{sites: sites, arguments: arguments}.faults(p, profiler.Stats())
	if slices.Contains(arguments, "brought") {
		faults = append(faults, countedTwice(profiler)...)
	}
	return faults
}
