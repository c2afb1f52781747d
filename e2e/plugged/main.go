// Command plugged opens the plugin of package guest while it records, lets many goroutines call it at once, and judges the
// profile. Its argument is the plugin.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Println("usage: plugged PLUGIN")
		os.Exit(2)
	}
	if err := storm(os.Args[1]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
