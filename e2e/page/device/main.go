// Command device is a service with a model on a graphics card: weights, a cache for each conversation, and staging buffers of the host.
package main

// #cgo LDFLAGS: -ldl
// #include "card.h"
import "C"

import (
	"log"
	"log/slog"
	"net"
	"net/http"
	"runtime"

	"github.com/cgoheap/cgoheap"
	_ "github.com/cgoheap/cgoheap/allocators/cuda"
)

const (
	layers, layerBytes = 32, 416 << 20
	staged             = 64 << 20
	conversationBytes  = 24 << 20
)

//go:noinline
func loadModel() bool {
	for range layers {
		if C.load_layer(layerBytes) == 0 {
			return false
		}
	}
	return C.stage_batch(staged) != nil
}

//go:noinline
func handleConversation() bool { return C.extend_cache(conversationBytes) != 0 }

func main() {
	runtime.LockOSThread() // a context is a thread's
	heap, err := cgoheap.Start(cgoheap.Config{Timeline: true})
	if err != nil {
		log.Fatal(err)
	}
	if C.card_open() != 0 || !loadModel() {
		log.Fatal("there is no card")
	}
	for range 100 {
		if !handleConversation() {
			log.Fatal("the card is full")
		}
	}
	http.Handle("/debug/cgoheap/", heap.PagesHandler())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	slog.Info("device serves", "address", listener.Addr().String())
	log.Fatal(http.Serve(listener, nil)) //nolint:gosec // a test ends it
}
