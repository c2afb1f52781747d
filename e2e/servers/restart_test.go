package servers

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// Data from before the restart depends on the server: Pyroscope writes it to disk, Parca loses it.

func TestNothingIsLostWhilePyroscopeRestarts(t *testing.T) {
	server := startPyroscope(t)
	keeper := startKeeper(t, "-pyroscope", server.url, "-interval", "200ms")
	allocate(t, keeper, "keep", 4096, 100)
	awaitPushed(t, keeper)
	restartAmidAllocations(t, server.process, keeper)
	eventually(t, "reading back", func() error {
		return allocationsDiffer(server, "keeper", stacks{kept: 4096*100 + amidRestart})
	})
}

func TestNothingIsLostWhileParcaRestarts(t *testing.T) {
	server := startParca(t, "")
	keeper := startKeeper(t, "-parca", server.url, "-interval", "200ms")
	allocate(t, keeper, "lend", 4096, 100)
	awaitPushed(t, keeper)
	restartAmidAllocations(t, server.process, keeper)
	eventually(t, "reading back", func() error {
		return allocationsDiffer(server, "keeper", stacks{kept: amidRestart})
	})
}

const amidRestart = 1024*50 + 2048*30

// restartAmidAllocations ends the server, and starts it again when keeper has failed to reach it with profiles to send. A
// server that is about to end may have refused some before, for other reasons.
func restartAmidAllocations(t *testing.T, server, keeper *process) {
	t.Helper()
	server.end(syscall.SIGTERM)
	allocate(t, keeper, "keep", 1024, 50)
	eventually(t, "finding the server away", func() error {
		if c := counters(t, keeper)["export_retried"]; !strings.Contains(c.Sentence, "connection refused") {
			return fmt.Errorf("%d %s", c.Value, c.Sentence)
		}
		return nil
	})
	awaitCounter(t, keeper, "export_queue", 3)
	server.start(t)
	allocate(t, keeper, "keep", 2048, 30)
	awaitPushed(t, keeper)
	for _, lost := range []string{"export_dropped", "export_given_up", "export_refused", "export_expired"} {
		if c := counters(t, keeper)[lost]; c.Value != 0 {
			t.Errorf("%d %s", c.Value, c.Sentence)
		}
	}
}
