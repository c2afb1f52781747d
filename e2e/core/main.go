//go:build linux && cgo

package main

// #cgo CFLAGS: -O2 -g
// #cgo LDFLAGS: -lpthread
// #include "core.h"
import "C"

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
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
	for range 2 { // a second recording knows nothing of the first
		profiler, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1, TableBytes: tables})
		if err != nil {
			fmt.Println("Start:", err)
			return refused
		}
		sites := visitAll()
		faults := judge(profiler, sites, arguments)
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
	return exact
}

func judge(profiler *cgoheap.Profiler, sites sites, arguments []string) []string {
	var written bytes.Buffer
	if err := profiler.WriteProfile(&written); err != nil {
		return []string{err.Error()}
	}
	p, err := profile.Parse(&written)
	if err != nil {
		return []string{err.Error()}
	}
	return check{sites: sites, arguments: arguments}.faults(p, profiler.Stats())
}
