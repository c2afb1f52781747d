//go:build linux && cgo

// Command bare does not contain the profiler. It opens a plugin of the program core, which does, and runs it.
package main

import (
	"fmt"
	"os"
	"plugin"
)

func main() {
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	run, err := p.Lookup("Run")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(run.(func([]string) int)(os.Args[2:]))
}
