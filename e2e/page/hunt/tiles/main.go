// Command tiles is a map server with a cache.
package main

// #include "tiles.h"
// #cgo LDFLAGS: -lstdc++
import "C"

import (
	"fmt"
	"net/http"

	_ "github.com/cgoheap/cgoheap/auto"
	"github.com/cgoheap/cgoheap/e2e/page/hunt/load"
)

func handleTile(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, fetchTile(load.Number(r))) }
func fetchTile(n int) int                               { return int(C.tiles_get(C.int(n))) }

func main() {
	http.HandleFunc("/tile", handleTile)
	load.Serve("localhost:8182", map[string]float64{
		"/tile": 9, // 12 KiB each: 64 MiB after ten minutes
	})
}
