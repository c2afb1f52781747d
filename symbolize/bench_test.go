package symbolize

import (
	"os"
	"testing"
)

// BenchmarkFirstAndSecondProfile names 1000 addresses of the program in SYMBOLIZE_PROGRAM, or of the C++ fixture: once
// from the file, once from memory.
func BenchmarkFirstAndSecondProfile(b *testing.B) {
	path := os.Getenv("SYMBOLIZE_PROGRAM")
	if path == "" {
		path = compile(b, "g++", "shapes.cc", "-g", "-O2")
	}
	addresses := everyByte(b, path)
	addresses = every(len(addresses)/1000+1, addresses)
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			New(Options{}).Resolve(module(path), addresses)
		}
	})
	b.Run("second", func(b *testing.B) {
		s := New(Options{})
		s.Resolve(module(path), addresses)
		b.ReportAllocs()
		for b.Loop() {
			s.Resolve(module(path), addresses)
		}
	})
}
