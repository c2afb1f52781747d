package main

// #cgo CXXFLAGS: -O2 -g -Wall
// #cgo LDFLAGS: -lstdc++
// #include "vault.h"
import "C"

import (
	"errors"
	"net/http"
	"strconv"
)

func handleKeep(w http.ResponseWriter, r *http.Request) {
	bytes, times, err := amounts(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for range times {
		C.vault_keep(C.size_t(bytes))
	}
}

func handleLend(w http.ResponseWriter, r *http.Request) {
	bytes, times, err := amounts(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for range times {
		C.vault_lend(C.size_t(bytes))
	}
}

func amounts(r *http.Request) (bytes, times uint64, err error) {
	bytes, errBytes := strconv.ParseUint(r.FormValue("bytes"), 10, 32)
	times, errTimes := strconv.ParseUint(r.FormValue("times"), 10, 32)
	return bytes, times, errors.Join(errBytes, errTimes)
}
