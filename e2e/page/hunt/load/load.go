// Package load puts load on a service of package hunt, from within.
package load

import (
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Serve serves http.DefaultServeMux at an address and calls each path so many times a second, with a random number.
func Serve(address string, perSecond map[string]float64) {
	for path, times := range perSecond {
		go drive("http://"+address+path, times)
	}
	log.Fatal(http.ListenAndServe(address, nil)) //nolint:gosec // a person who plays ends it
}

func drive(url string, perSecond float64) {
	for range time.Tick(time.Duration(float64(time.Second) / perSecond)) {
		answer, err := http.Get(url + "?n=" + strconv.Itoa(rand.IntN(1<<30)))
		if err != nil {
			log.Print(err)
			continue
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
	}
}

// Number is the number that a request has.
func Number(r *http.Request) int {
	n, _ := strconv.Atoi(r.URL.Query().Get("n"))
	return n
}
