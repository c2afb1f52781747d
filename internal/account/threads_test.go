package account

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// tasks makes a /proc with the file syscall of threads, by their numbers.
func tasks(t *testing.T, syscalls map[string]string) (proc string) {
	t.Helper()
	proc = t.TempDir()
	for thread, text := range syscalls {
		dir := filepath.Join(proc, "self/task", thread)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "syscall"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return proc
}

// A thread whose stack is known may wait on memory that is none: that of a coroutine.
func TestStackPointersAreForThreadsWithoutAKnownStack(t *testing.T) {
	proc := tasks(t, map[string]string{
		"7": "202 0x1 0x2 0x3 0x4 0x5 0x6 0x5000 0x9\n", "8": "202 0x1 0x2 0x3 0x4 0x5 0x6 0x4000 0x9\n",
		"9": "-1 0x3000 0x9\n", "10": "running\n",
	})
	stacks := []Stack{{Thread: 8, Range: Range{0x100, 0x200}}, {Range: Range{0x300, 0x400}}}
	if got, want := threadPointers(usage.Kernel{Proc: proc}.Tasks(), stacks), []uint64{0x3000, 0x5000}; !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if got, want := threadPointers(usage.Kernel{Proc: proc}.Tasks(), nil), []uint64{0x3000, 0x4000, 0x5000}; !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

func TestStacksOfLibcAreClaims(t *testing.T) {
	stacks := []Stack{{Thread: 8, Range: Range{0x100, 0x200}}, {Range: Range{0x300, 0x400}}}
	var memory scratch.Memory
	defer memory.Free()
	c := (&Sources{Stacks: stacks, Mapped: []Mapped{{Range: Range{0x380, 0x500}}}}).claims(&memory)
	want := []claim{{Range{0x100, 0x200}, threadStack, -1}, {Range{0x300, 0x380}, endedStack, -1}, {Range{0x380, 0x500}, programMap, 0}}
	if !slices.Equal(c.list, want) {
		t.Errorf("%+v, want %+v", c.list, want)
	}
}
