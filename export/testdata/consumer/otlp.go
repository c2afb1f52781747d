// A program that delivers its profiles to a collector of its own.
package main

// #include <stdlib.h>
import "C"

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/otlp"
)

func main() {
	profiler, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer profiler.Stop()
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer collector.Close()
	target, err := otlp.New(otlp.Config{Address: collector.URL})
	if err != nil {
		log.Fatal(err)
	}
	exporter, err := export.Start(profiler, target, export.Config{Interval: time.Hour}) // one, when it stops
	if err != nil {
		log.Fatal(err)
	}
	C.free(C.malloc(12345))
	if err := exporter.Stop(); err != nil {
		log.Fatal(err)
	}
	if exporter.Stats().Value("export_pushed") == 0 {
		log.Fatalf("nothing arrived\n%s", exporter.Stats())
	}
	fmt.Println("otlp: profiles arrived")
}
