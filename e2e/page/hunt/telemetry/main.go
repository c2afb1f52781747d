// Command telemetry decodes batches, and keeps nothing.
package main

// #include "decode.h"
import "C"

import (
	"fmt"
	"net/http"

	_ "github.com/cgoheap/cgoheap/auto"
	"github.com/cgoheap/cgoheap/e2e/page/hunt/load"
)

func handleIngest(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, decode(load.Number(r))) }
func handleStatus(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }
func decode(n int) int                                    { return int(C.decode_batch(C.int(n))) }

func main() {
	http.HandleFunc("/ingest", handleIngest)
	http.HandleFunc("/status", handleStatus)
	load.Serve("localhost:8183", map[string]float64{
		"/ingest": 20, // 15 MiB each: 300 MiB a second
		"/status": 5,
	})
}
