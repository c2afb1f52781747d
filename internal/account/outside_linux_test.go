package account

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// What is of files and of libraries is told apart, page by page and by the kernel's sums.
func TestWhatIsOutsideByFileAndByLibrary(t *testing.T) {
	const n = 1000 // mapped touches every second page
	touched := n / 2 * page
	read, written, inMemory, recorded := tempFile(t, n), tempFile(t, n), memoryFile(t, n), memoryFile(t, n)
	for range 2 { // 1,000 pages that are read
		b, err := unix.Mmap(int(read.Fd()), 0, n*int(page), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Munmap(b) })
	}
	copies := mapped(t, int(written.Fd()), n, unix.MAP_PRIVATE)
	for i := range copies {
		copies[i] = 2 // else pages around those that were written to are mapped, too
	}
	zero := rangeOf(mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON))
	mapped(t, inMemory, n, unix.MAP_SHARED) // between the two, which the kernel would join
	byCall := rangeOf(mapped(t, recorded, n, unix.MAP_SHARED))
	data := rangeOf(mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON))
	var memory scratch.Memory
	defer memory.Free()
	for road, k := range map[string]usage.Kernel{"pages": usage.Running, "sums": withoutPagemap(t)} {
		v := Take(k, &Sources{Outside: true, Segments: []Range{zero, {data.Start, data.Limit - 10}}, Mapped: []Mapped{{Range: byCall}}}, &memory)
		o, err := v.Outside()
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]File{
			read.Name(): {Pages: 2 * n * page, Mappings: 2}, written.Name(): {Copies: n * page, Mappings: 1}, "/memfd:mapped (deleted)": {Shared: touched, Mappings: 1},
		} {
			if got := o.Files[name]; got == nil || *got != want {
				t.Errorf("by %s, of %s there is %+v, want %+v", road, name, got, want)
			}
		}
		if o.Written[0] != touched || o.Written[1] != touched {
			t.Errorf("by %s, %d are written, want %d each", road, o.Written, touched)
		}
		if o.Stacks == 0 {
			t.Errorf("by %s, threads have no stacks", road)
		}
	}
	if v := Take(usage.Kernel{Proc: t.TempDir()}, &Sources{Outside: true}, &memory); v != nil {
		if o, err := v.Outside(); err == nil {
			t.Errorf("of pages that nobody could look up, there is %+v", o)
		}
	}
}
