// Host loads a plugin.
package main

import (
	"fmt"
	"os"
	"plugin"
)

func main() {
	if _, err := plugin.Open(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
