// Command big is a service with many native stacks: main.go of package speed builds and runs it. It prints its address.
package main

// #cgo CFLAGS: -O2 -g
// #include "many.h"
import "C"

import (
	"fmt"
	"log"
	"net"
	"net/http"

	_ "github.com/cgoheap/cgoheap/auto"
)

const (
	stacks = 20_000
	depth  = 12 // functions of C in each
	size   = 200
)

func main() {
	if n := C.many_units(); n != 0 {
		log.Print("with units: ", n)
	}
	for i := range stacks {
		C.many_hold(C.uint64_t(i+1), depth, size)
	}
	http.HandleFunc("POST /lend", func(http.ResponseWriter, *http.Request) { C.many_lend(1000, C.MANY_LENT) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	log.Fatal(http.Serve(listener, nil)) //nolint:gosec // who started it ends it
}
