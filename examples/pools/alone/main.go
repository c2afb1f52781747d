// Command alone uses the library of folder arena without cgoheap.
package main

import (
	"fmt"

	"github.com/cgoheap/cgoheap/examples/pools/arena"
)

func main() {
	a := arena.Open()
	defer a.Close()
	carved := 0
	for range 10_000 {
		if a.Node(100) != nil {
			carved++
		}
	}
	fmt.Println("carved", carved)
}
