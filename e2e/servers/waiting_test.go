package servers

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A request of the host that waited for the server would not be answered: the server answers only after the last of them.
func TestRequestsDoNotWaitForTheServer(t *testing.T) {
	for _, name := range []string{"parca", "pyroscope"} {
		t.Run(name, func(t *testing.T) {
			var attempts atomic.Int64
			arrived, release := make(chan struct{}), make(chan struct{})
			nowhere := &process{name: name, url: "http://" + toolchain.Loopback(toolchain.FreePort(t))}
			front := startFront(t, nowhere, toolchain.FreePort(t), false)
			front.set(func(w http.ResponseWriter, r *http.Request) bool {
				if attempts.Add(1) == 1 {
					close(arrived)
				}
				select {
				case <-release:
				case <-r.Context().Done():
				}
				return answers(http.StatusInternalServerError)(w, r)
			})
			keeper := startKeeper(t, "-"+name, front.url, "-service", "waiting", "-interval", "10ms", "-send-within", "1h", "-queue", "1000")
			allocate(t, keeper, "keep", 1024, 50) // an empty profile is not sent
			<-arrived
			taken := counters(t, keeper)["export_taken"].Value
			for range 100 {
				allocate(t, keeper, "lend", 1000, 50)
			}
			awaitCounter(t, keeper, "export_taken", taken+1) // profiles are taken meanwhile as well
			if n := attempts.Load(); n != 1 {
				t.Errorf("%d attempts, want one that lasts", n)
			}
			close(release)
			awaitCounter(t, keeper, "export_retried", 1)
		})
	}
}
