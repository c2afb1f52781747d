//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/flight"
)

// What the flight recorder reads every second, and what it reads as often as its cost allows. Of a core, a thousandth is 1 ms a second.
func BenchmarkFlight(b *testing.B) {
	p, err := Start(Config{Timeline: true})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Stop()
	var values [flight.Fields]int64
	s := p.flightSources()
	s.Paced[0](&values) // finds the control group
	b.Run("every second", func(b *testing.B) {
		for b.Loop() {
			for _, read := range s.Quick {
				read(&values)
			}
		}
	})
	for i, name := range []string{"control group", "stalls", "free in malloc", "mapped"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Paced[i](&values)
			}
		})
	}
	b.Run("Go's heap", func(b *testing.B) {
		for b.Loop() {
			s.Heap()
		}
	})
}
