//go:build !service

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "service: built without the tag `service`")
	os.Exit(2)
}
