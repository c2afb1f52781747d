package e2e

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

// search calls libc's tsearch, which compares the key with the keys of a tree and then allocates a node.
func search(t *testing.T, key uintptr, root unsafe.Pointer, compare uintptr) {
	t.Helper()
	tsearch, err := purego.Dlsym(purego.RTLD_DEFAULT, "tsearch")
	if err != nil {
		t.Fatal(err)
	}
	purego.SyscallN(tsearch, key, uintptr(root), compare)
}

//go:noinline
func grown(depth int) (sum int) {
	var room [512]byte
	if depth > 0 {
		sum = grown(depth - 1)
	}
	return sum + int(room[depth%len(room)])
}

// takeStacks lets goroutines write over stacks that others have left.
func takeStacks() {
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() { grown(30) })
	}
	group.Wait()
}

const searches = 10

func TestStacksThroughGoAssemblyThatCallsC(t *testing.T) {
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	var still, moving unsafe.Pointer
	usual := purego.NewCallback(func(_, _ uintptr) uintptr { return 1 })
	moves := purego.NewCallback(func(_, _ uintptr) uintptr { grown(1000); takeStacks(); return 1 })
	var group sync.WaitGroup
	for key := range uintptr(searches) { // each on a stack that is still small
		group.Go(func() { stays(t, key, &still, usual) })
		group.Wait()
		group.Go(func() { grows(t, key, &moving, moves) })
		group.Wait()
	}
	var out bytes.Buffer
	if err := p.Write(&out, cgoheap.Selection{}); err != nil {
		t.Fatal(err)
	}
	prof, err := profile.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stays", "grows"} {
		if n := nodes(prof, name); n != searches {
			t.Errorf("%d nodes of %d were allocated through %s", n, searches, name)
		}
	}
}

//go:noinline
func stays(t *testing.T, key uintptr, root *unsafe.Pointer, compare uintptr) {
	search(t, key, unsafe.Pointer(root), compare)
}

//go:noinline
func grows(t *testing.T, key uintptr, root *unsafe.Pointer, compare uintptr) {
	search(t, key, unsafe.Pointer(root), compare)
}

// nodes returns the number of blocks that tsearch allocated through the function of this package.
func nodes(p *profile.Profile, function string) (blocks int64) {
	for _, s := range p.Sample {
		var names []string
		for _, l := range s.Location {
			for _, line := range l.Line {
				names = append(names, line.Function.Name)
			}
		}
		c := slices.IndexFunc(names, func(n string) bool { return strings.Contains(n, "tsearch") })
		if c >= 0 && slices.ContainsFunc(names[c:], func(n string) bool { return strings.HasSuffix(n, "."+function) }) {
			blocks += s.Value[0]
		}
	}
	return blocks
}
