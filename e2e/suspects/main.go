package main

// #cgo CFLAGS: -O1 -g
// #include "service.h"
import "C"

import (
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/cgoheap/cgoheap"
)

const (
	mib   = 1 << 20
	every = 10 * time.Millisecond
)

var (
	minutes = flag.Int("minutes", 12, "how long the suspects are watched")
	warm    = flag.Int("warm", 1, "minutes before that")
	leak    = flag.Float64("leak", 1, "MiB per minute")
	rate    = flag.Float64("rate", 1024, "MiB per second that requests allocate")
)

//go:noinline
func login(size int) { C.format_user(C.size_t(size)) }

//go:noinline
func request(bytes float64) {
	const size = 64 << 10
	C.handle_request(C.size_t(bytes/size), size)
}

//go:noinline
func remember(size int) { C.cache_put(C.size_t(size)) }

//go:noinline
func open(slot uint32, size int) { C.session_open(C.uint(slot), C.size_t(size)) }

// serve does for a moment what the service does.
func serve(since time.Duration, leaking bool, owed *float64) {
	request(*rate * mib * every.Seconds())
	breath := 1 + math.Sin(2*math.Pi*since.Minutes()/4)/2
	remember(int(64 << 10 * breath))
	for range 10 {
		open(rand.Uint32(), 1000+int(rand.Uint32N(4000)))
	}
	if !leaking || *leak <= 0 {
		return
	}
	const size = 700
	for *owed += *leak * mib / 60 * every.Seconds(); *owed >= size; *owed -= size {
		login(size)
	}
}

// run serves, and calls look each minute with how long it has watched; the watch, and the leak, begin when the service is warm.
// All is called from one place: the same work from another would be another stack.
func run(length, warming time.Duration, look func(minute int)) {
	owed, minute := 0.0, 0
	begin := time.Now().Add(warming)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for ; time.Since(begin) < length; <-ticker.C {
		watched := time.Since(begin)
		serve(watched, watched > 0, &owed)
		if watched >= time.Duration(minute)*time.Minute {
			look(minute)
			minute++
		}
	}
}

func main() {
	flag.Parse()
	p, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = p.Stop() }()
	first, wrong := 0, false
	run(time.Duration(*minutes)*time.Minute+time.Second, time.Duration(*warm)*time.Minute, func(minute int) {
		list, err := p.Suspects() // the first call has moments taken
		if err != nil {
			log.Fatal(err)
		}
		for i, s := range list[:min(4, len(list))] {
			fmt.Printf("%d min, %d. [%s] %s\n", minute, i+1, s.Class, s.Sentence)
		}
		for i, s := range list {
			suspected := s.Class == "grows" || s.Class == "queue" || s.Class == "leak"
			switch {
			case s.Function == "format_user" && i == 0 && suspected && first == 0:
				first = minute
			case s.Function != "format_user" && suspected:
				wrong = true
			}
		}
	})
	fmt.Printf("the leak was first, and grew, after %d min; another stack was suspected: %t\n", first, wrong)
	if wrong || *leak > 0 && (first == 0 || first > 10) {
		os.Exit(1)
	}
}
