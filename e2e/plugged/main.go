//go:build linux && cgo

package main

import (
	"fmt"
	"os"
	"plugin"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Println("usage: plugged core|guest PLUGIN ARGUMENT...")
		os.Exit(2)
	}
	if os.Args[1] == "guest" {
		fail(storm(os.Args[2]))
		return
	}
	run, err := openCore(os.Args[2])
	fail(err)
	os.Exit(run(os.Args[3:]))
}

func fail(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// openCore returns the plugin's entry.
func openCore(path string) (func(arguments []string) int, error) {
	p, err := plugin.Open(path)
	if err != nil {
		return nil, err
	}
	entry, err := p.Lookup("Run")
	if err != nil {
		return nil, err
	}
	return entry.(func([]string) int), nil
}
