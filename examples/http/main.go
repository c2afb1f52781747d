package main

import (
	"io"
	"log"
	"net/http"
	_ "net/http/pprof"

	_ "github.com/cgoheap/cgoheap/auto"
)

const longestNote = 1 << 20

func main() {
	http.HandleFunc("POST /notes", handleNote)
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}

func handleNote(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longestNote))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := keepNote(text); err != nil {
		http.Error(w, err.Error(), http.StatusInsufficientStorage)
	}
}
