// Command opener opens a plugin that was built from the program core, and lets it record and judge itself. It contains the
// profiler only with the tag profiler, and never calls it. Its arguments are the plugin, then core's.
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
