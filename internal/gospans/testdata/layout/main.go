// Layout prints where Go's heap and goroutines are found in it, as JSON, or why they are not.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/cgoheap/cgoheap/internal/gospans"
)

func main() {
	l, err := gospans.Find()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(l); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
