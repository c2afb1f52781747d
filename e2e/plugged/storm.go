package main

import (
	"errors"
	"io"
	"plugin"
	"sync"
	"unsafe"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/testonly"
)

// A guest is the plugin of package guest.
type guest struct {
	direct  func(size int) unsafe.Pointer
	through func(size int, visit func(int) unsafe.Pointer) unsafe.Pointer
	opened  int
}

func openGuest(path string) (g guest, err error) {
	p, err := plugin.Open(path)
	if err != nil {
		return guest{}, err
	}
	for name, take := range map[string]func(any){
		"Direct":     func(s any) { g.direct = s.(func(int) unsafe.Pointer) },
		"Through":    func(s any) { g.through = s.(func(int, func(int) unsafe.Pointer) unsafe.Pointer) },
		"OpenedSize": func(s any) { g.opened = *s.(*int) },
	} {
		symbol, err := p.Lookup(name)
		if err != nil {
			return guest{}, err
		}
		take(symbol)
	}
	return g, nil
}

const (
	goroutines = 64
	rounds     = 50
	size       = 5000 // of the first site
	guestPath  = "github.com/cgoheap/cgoheap/e2e/guest."
)

// sites are the ways to allocate, with their stacks, leaf first. Each has a block size of its own.
var sites = []struct {
	visit  func(g *guest, size int) unsafe.Pointer
	frames []string
}{
	{direct, []string{"guest_malloc", guestPath + "allocate", guestPath + "Direct", "main.direct"}},
	{through, []string{"guest_malloc", guestPath + "allocate", guestPath + "Direct", "main.through.func1", guestPath + "guestVisit",
		"guest_calls_go", guestPath + "Through", "main.through"}},
	{twice, []string{"guest_malloc", guestPath + "Direct", guestPath + "guestVisit", "guest_calls_go", guestPath + "Through",
		"main.twice.func1", guestPath + "guestVisit", "guest_calls_go", guestPath + "Through", "main.twice"}},
	{moved, []string{"guest_malloc", guestPath + "Direct", "main.moved.func1", guestPath + "guestVisit", "guest_calls_go",
		guestPath + "Through", "main.moved"}},
}

//go:noinline
func direct(g *guest, size int) unsafe.Pointer { return g.direct(size) }

//go:noinline
func through(g *guest, size int) unsafe.Pointer {
	return g.through(size, func(size int) unsafe.Pointer { return g.direct(size) })
}

//go:noinline
func twice(g *guest, size int) unsafe.Pointer {
	return g.through(size, func(size int) unsafe.Pointer { return g.through(size, g.direct) })
}

// moved makes the goroutine's stack grow between two calls of C.
//
//go:noinline
func moved(g *guest, size int) unsafe.Pointer {
	return g.through(size, func(size int) unsafe.Pointer { grow(200); return g.direct(size) })
}

//go:noinline
func grow(depth int) (sum byte) {
	var room [512]byte
	if depth > 0 {
		sum = grow(depth - 1)
	}
	return sum + room[depth]
}

// storm records while many goroutines let the plugin allocate at once, and returns what is wrong in the profile: first when
// the plugin was just opened and then, after a look, when it is known.
func storm(path string) error {
	profiler, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		return err
	}
	g, err := openGuest(path)
	if err != nil {
		return err
	}
	storms := 1
	if testonly.AllowObjects(true) { // otherwise, stacks are cut until the plugin is known
		storms++
		work(&g)
	}
	if err := profiler.WriteProfile(io.Discard); err != nil {
		return err
	}
	testonly.AllowObjects(false)
	work(&g)
	return errors.Join(judge(profiler, &g, storms), profiler.Stop())
}

func work(g *guest) {
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() { worker(g) })
	}
	all.Wait()
}

//go:noinline
func worker(g *guest) {
	for range rounds {
		for i, s := range sites {
			s.visit(g, size+i)
		}
	}
}
