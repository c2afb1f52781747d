package unwind

import (
	"errors"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// finder makes a Finder of a file, with the index of its FDEs or without.
func finder(t *testing.T, path string, indexed bool) Finder {
	t.Helper()
	f, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	frames, index := f.EhFrameExtents()
	if frames.Size == 0 || index.Size == 0 {
		t.Fatalf("%s has .eh_frame at %x and its index at %x", path, frames, index)
	}
	finder := Finder{Frames: Bytes(frames), Read: f.ReadMemory}
	if indexed {
		finder.Index = Bytes(index)
	}
	return finder
}

// allFunctions is the slow road: every FDE, as Build reads them.
func allFunctions(t *testing.T, s Section) []Function {
	t.Helper()
	var report Report
	all := scanner{records: &records{size: len(s.Data), window: s.Data}, addr: s.Addr, machine: machines[s.Machine],
		report: &report, cies: make(map[int]*cie)}
	if err := all.scan(); err != nil {
		t.Fatal(err)
	}
	var list []Function
	for _, p := range all.found {
		f, _ := all.fdeAt(p.at)
		list = append(list, Function{f.start, f.limit})
	}
	slices.SortFunc(list, func(a, b Function) int { return int(a.Start) - int(b.Start) })
	return list
}

// around are the addresses at both ends of each function, and just outside.
func around(list []Function) (addresses []uint64) {
	for _, f := range list {
		addresses = append(addresses, f.Start-1, f.Start, (f.Start+f.Limit)/2, f.Limit-1, f.Limit)
	}
	slices.Sort(addresses)
	return slices.Compact(addresses)
}

func slowFind(list []Function, address uint64) Function {
	for _, f := range list {
		if f.holds(address) {
			return f
		}
	}
	return Function{}
}

func TestFunctionsAroundAddresses(t *testing.T) {
	for _, name := range []string{"libc.so.6", "libstdc++.so.6"} {
		onEach(t, "are found as by reading every FDE of "+name, func(t *testing.T, c toolchain.Toolchain) {
			path := c.Library(t, name)
			list := allFunctions(t, open(t, path))
			addresses := around(list)
			indexed, scanned := finder(t, path, true).Find(addresses), finder(t, path, false).Find(addresses)
			at := 0 // functions before it end before the address
			for i, address := range addresses {
				for at < len(list) && list[at].Limit <= address {
					at++
				}
				want := slowFind(list[at:min(len(list), at+2)], address)
				if indexed[i] != want || scanned[i] != want {
					t.Fatalf("%#x: %x by the index, %x without, want %x", address, indexed[i], scanned[i], want)
				}
			}
			if single := finder(t, path, true).Find(addresses[len(addresses)/3:][:1]); single[0] != indexed[len(addresses)/3] {
				t.Errorf("asked for alone, an address is in %x, with others in %x", single[0], indexed[len(addresses)/3])
			}
		})
	}

	t.Run("take little memory, however large the file is", func(t *testing.T) {
		f := finder(t, toolchain.Target(t).Library(t, "libstdc++.so.6"), true)
		address := []uint64{f.Index.Addr}
		size := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				f.Find(address)
			}
		}).AllocedBytesPerOp()
		if size > 8<<10 {
			t.Errorf("%d bytes for one address", size)
		}
	})
}

// FuzzFinder reads .eh_frame and its index from bytes that may be anything: data lies at address 0x1000, the index at its
// start, as long as indexSize says, and the frames behind it.
func FuzzFinder(f *testing.F) {
	s := section(zR, code(0x1000, 16), code(0x1010, 8), code(0x2000, 64))
	f.Add(s.Data, uint16(0), uint64(0x1004))
	index := []byte{1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x30, 0, 0, 0, 0x10, 0, 0, 0, 0x50, 0, 0, 0}
	f.Add(slices.Concat(index, s.Data), uint16(len(index)), uint64(0x1014))
	f.Fuzz(func(t *testing.T, data []byte, indexSize uint16, address uint64) {
		const base = 0x1000
		split := min(uint64(indexSize), uint64(len(data)))
		finder := Finder{
			Index:  Bytes{base, split},
			Frames: Bytes{base + split, uint64(len(data)) - split},
			Read: func(into []byte, at uint64) error {
				if at < base || at-base > uint64(len(data)) || copy(into, data[at-base:]) < len(into) {
					return errors.New("out of bounds")
				}
				return nil
			},
		}
		addresses := []uint64{address &^ 0xff, address, address | 0xff}
		slices.Sort(addresses)
		for i, found := range finder.Find(addresses) {
			if found != (Function{}) && (!found.holds(addresses[i]) || found.Start == 0) {
				t.Fatalf("%#x is said to be in %x", addresses[i], found)
			}
		}
	})
}
