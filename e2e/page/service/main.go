package main

/*
#cgo CXXFLAGS: -O1 -g
void *hold_script(unsigned long size);
void *map_pool(unsigned long size);
*/
import "C"

import (
	"context"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"unsafe"

	"github.com/cgoheap/cgoheap"
)

// kept holds what was allocated.
var kept []unsafe.Pointer

func hold(blocks int) {
	for range blocks {
		kept = append(kept, C.hold_script(10_000))
	}
}

func main() {
	heap, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1, Timeline: true, GoroutineLabels: true})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := heap.DumpOnSignal(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	hold(60)
	if C.map_pool(12<<20) == nil {
		log.Fatal("no memory to map")
	}
	pprof.Do(context.Background(), pprof.Labels("tenant", "<b>"), func(context.Context) { hold(40) })
	http.Handle("GET /debug/cgoheap/", heap.PagesHandler())
	http.Handle("POST /debug/cgoheap/", heap.PagesHandler())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	slog.Info("service serves", "address", listener.Addr().String())
	log.Fatal(http.Serve(listener, nil)) //nolint:gosec // a test ends it
}
