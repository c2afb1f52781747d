package scratch

import (
	"math/rand/v2"
	"testing"
)

// Find is compared with a map.
func TestAnIndexFindsWhatAMapDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func() uint64{
		"random":     random.Uint64,
		"few":        func() uint64 { return random.Uint64N(1000) },
		"aligned":    func() uint64 { return random.Uint64() &^ 0xfff },
		"high parts": func() uint64 { return random.Uint64N(100_000) << 44 },
	} {
		t.Run(name, func(t *testing.T) {
			var m Memory
			defer m.Free()
			var keys []uint64
			numbers := make(map[uint64]uint32)
			x := NewIndex(&m, 10)
			for range 50_000 {
				key := next()
				got, found := x.Find(key, func(n uint32) bool { return keys[n] == key })
				want, known := numbers[key]
				if found != known || got != want {
					t.Fatalf("%#x: %d, %v; want %d, %v", key, got, found, want, known)
				}
				if !known {
					numbers[key] = uint32(len(keys))
					x.Add(key, uint32(len(keys)))
					keys = append(keys, key)
				}
			}
		})
	}
}

// The caller distinguishes entries with equal hashes.
func TestEqualHashesAreToldApart(t *testing.T) {
	x := NewIndex(nil, 0)
	for n := range uint32(500) {
		x.Add(7, n)
	}
	for n := range uint32(500) {
		if got, found := x.Find(7, func(other uint32) bool { return other == n }); !found || got != n {
			t.Fatalf("%d, %v; want %d", got, found, n)
		}
	}
	if _, found := x.Find(7, func(uint32) bool { return false }); found {
		t.Error("a number was found that nobody knows")
	}
}
