// A program that delivers its profiles to two servers of its own, one after the other.
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
	"github.com/cgoheap/cgoheap/export/parca"
	"github.com/cgoheap/cgoheap/export/pyroscope"
)

// answer is an empty message, by whichever protocol the client speaks.
func answer(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	kind := r.Header.Get("Content-Type")
	w.Header().Set("Content-Type", kind)
	if kind == "application/proto" {
		return
	}
	_, _ = w.Write(make([]byte, 5)) // gRPC: the head of a message of no bytes
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
}

func main() {
	profiler, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer profiler.Stop()
	server := httptest.NewUnstartedServer(http.HandlerFunc(answer))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	toPyroscope, err := pyroscope.New(pyroscope.Config{Address: server.URL})
	deliver("pyroscope", profiler, toPyroscope, err)
	toParca, err := parca.New(parca.Config{Address: server.URL})
	deliver("parca", profiler, toParca, err)
}

func deliver(name string, profiler *cgoheap.Profiler, target export.Target, err error) {
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
		log.Fatalf("%s: nothing arrived\n%s", name, exporter.Stats())
	}
	fmt.Printf("%s: profiles arrived\n", name)
}
