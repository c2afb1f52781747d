package pprof

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/stack"
)

// choices draws a number below n. A random source gives a property test, the bytes of a fuzzer a fuzz target.
type choices func(n int) int

// Few names and addresses, so that equal ones occur; among them empty names, similar names, and names that are not UTF-8.
var (
	someNames     = []string{"", "main", "operator new(unsigned long)", "_Znwm", "bad\xff", "bad\xfe", "bad\uFFFD", "日本"}
	someFiles     = []string{"", "/bin/service", "/lib/libc.so.6", "/lib/\xc3(", "a.c", "b.cc"}
	someUnits     = []string{"", "", "bytes", "s\xff"}
	someNumbers   = []int64{0, 1, 127, 128, 300, math.MaxInt64, -1, math.MinInt64}
	someAddresses = []uint64{0, 1, 0x401000, 0x401001, math.MaxUint64}
)

func pick[T any](c choices, from []T) T { return from[c(len(from))] }

func (c choices) recording() *recording {
	r := &recording{header: Header{
		Main: c.mapping(), SampleBytes: pick(c, someNumbers), Columns: Columns(c(3)), Compression: Compression(c(11) - 1),
	}}
	if c(2) == 1 {
		r.header.DefaultType = pick(c, r.header.slowTypes()).Type
	}
	if c(2) == 1 {
		r.header.Time = time.Unix(0, pick(c, someNumbers))
		r.header.Duration = time.Duration(pick(c, someNumbers))
	}
	for range c(3) {
		r.header.Comments = append(r.header.Comments, "c"+pick(c, someNames))
	}
	for range c(20) {
		r.samples = append(r.samples, c.sample())
	}
	return r
}

func (c choices) sample() recordedSample {
	s := recordedSample{
		values: stack.Values{
			AllocObjects: pick(c, someNumbers), AllocBytes: pick(c, someNumbers),
			InuseObjects: pick(c, someNumbers), InuseBytes: pick(c, someNumbers),
		},
		blockSize: pick(c, someNumbers),
		comment:   pick(c, someNames),
	}
	for range c(4) {
		s.labels = append(s.labels, stack.Label{
			Key: pick(c, append(someNames, "bytes")), Text: pick(c, someNames), Number: pick(c, someNumbers), Unit: pick(c, someUnits),
		})
	}
	for range c(6) {
		s.locations = append(s.locations, c.location())
	}
	if c(10) == 9 {
		s.locations = append(s.locations, Location{Lines: []Line{{Function: Function{Name: strings.Repeat("x", 300)}}}})
	}
	return s
}

func (c choices) location() Location {
	l := Location{Mapping: c.mapping(), Address: pick(c, someAddresses)}
	for range c(4) {
		l.Lines = append(l.Lines, Line{
			Function: Function{
				Name: pick(c, someNames), SystemName: pick(c, someNames), File: pick(c, someFiles),
				StartLine: pick(c, someNumbers),
			},
			Line: pick(c, someNumbers), Column: pick(c, someNumbers),
		})
	}
	return l
}

func (c choices) mapping() Mapping {
	return Mapping{File: pick(c, someFiles), BuildID: pick(c, []string{"", "c0ffee", "\xff"})}
}

func TestEncoderAgreesWithTheSlowRoad(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	recordings := 2000
	if testing.Short() {
		recordings = 500
	}
	for range recordings {
		checkRoads(t, choices(random.IntN).recording())
		if t.Failed() {
			return
		}
	}
}

func FuzzEncoder(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		seed := make([]byte, 400)
		for i := range seed {
			seed[i] = byte(random.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		next := func(n int) int {
			if len(b) == 0 {
				return 0
			}
			v := int(b[0]) % n
			b = b[1:]
			return v
		}
		checkRoads(t, choices(next).recording())
	})
}

// checkRoads compares both roads as google/pprof writes what it has parsed of them, and checks that to parse and write
// once more changes nothing.
func checkRoads(t *testing.T, r *recording) {
	t.Helper()
	fast := rewrite(t, r.read(t))
	slow := rewrite(t, parse(t, rewrite(t, r.slowRoad())))
	if !bytes.Equal(fast, slow) {
		t.Errorf("the encoder's profile is not that of the slow road\ngot:\n%v\nwant:\n%v", parse(t, fast), parse(t, slow))
	}
	if again := rewrite(t, parse(t, fast)); !bytes.Equal(again, fast) {
		t.Errorf("parse, write, parse is not a fixed point\ngot:\n%v\nwant:\n%v", parse(t, again), parse(t, fast))
	}
}

func rewrite(t *testing.T, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteUncompressed(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
