// Loaded is a library or a plugin that prints where Go's heap and goroutines are found, as JSON, or why they are not.
package main

import "C"

import (
	"encoding/json"
	"os"

	"github.com/cgoheap/cgoheap/internal/gospans"
)

// Initialised returns when the library is.
//
//export Initialised
func Initialised() {}

func init() {
	l, err := gospans.Find()
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(l); err != nil {
		panic(err)
	}
}

func main() {}
