package e2e

import (
	"runtime"
	"testing"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/sqlite"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// The compiler's own unwinder is the only judge: it follows the same .eh_frame in its own way. It ends where Go begins.
func TestTheWalkEqualsTheCompilersUnwinder(t *testing.T) {
	profiler, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer profiler.Stop()
	for _, callers := range []map[string]func(){victim.Callers, sqlite.Callers} {
		for name, call := range callers {
			t.Run(name, func(t *testing.T) { sameWalks(t, victim.WalkBoth(call)) })
			t.Run(name+" in a callback", func(t *testing.T) {
				sameWalks(t, victim.WalkBoth(func() { victim.CallBack(call) }))
			})
			t.Run(name+" on a foreign thread", func(t *testing.T) {
				sameWalks(t, victim.WalkBoth(func() {
					if err := victim.OnThread(call); err != nil {
						t.Error(err)
					}
				}))
			})
		}
	}
}

func sameWalks(t *testing.T, walks victim.Walks) {
	t.Helper()
	if walks.Calls == 0 || len(walks.Theirs) < 2 {
		t.Fatalf("%d stacks walked, the last with %d frames", walks.Calls, len(walks.Theirs))
	}
	for i, pc := range walks.Theirs {
		if i >= len(walks.Ours) || walks.Ours[i] != pc {
			t.Fatalf("frame %d differs:\nours   %#x\ntheirs %#x", i, walks.Ours, walks.Theirs)
		}
		if runtime.FuncForPC(pc) != nil {
			return
		}
	}
	if len(walks.Ours) != len(walks.Theirs) {
		t.Errorf("a C thread of different depth:\nours   %#x\ntheirs %#x", walks.Ours, walks.Theirs)
	}
}
