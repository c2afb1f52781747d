// Command media has a pool of its own, which only grows.
package main

// #include "frames.h"
import "C"

import (
	"fmt"
	"net/http"

	_ "github.com/cgoheap/cgoheap/auto"
	"github.com/cgoheap/cgoheap/e2e/page/hunt/load"
)

func handleUpload(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, storeFrame(load.Number(r)))
}
func handleProbe(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, probeFile(load.Number(r))) }
func storeFrame(n int) int                               { return int(C.frames_upload(C.int(n))) }
func probeFile(n int) int                                { return int(C.frames_probe(C.int(n))) }

func main() {
	http.HandleFunc("/upload", handleUpload)
	http.HandleFunc("/probe", handleProbe)
	load.Serve("localhost:8184", map[string]float64{
		"/upload": 5, // 70 KiB a second: 4 MiB a minute
		"/probe":  20,
	})
}
