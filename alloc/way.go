//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
)

// Among hundreds of busy threads a reader's own thread gets a processor for some milliseconds a second, so 100 ms of work
// take half a minute. If many such threads are seen at the gate, they are asked to give way.

// mostWay is the longest time that threads give way to one profile.
const mostWay = 2 * time.Second

// readers counts the callers that threads may have to give way to.
var readers struct {
	sync.Mutex
	count int
}

// Reading asks the program's threads to give way to the caller, if many more than there are processors are recording, until
// done is called. It is for the time of writing a profile.
func (r *Recording) Reading() (done func()) {
	readers.Lock()
	defer readers.Unlock()
	readers.count++
	if r.crowded() {
		cgo.GiveWay(mostWay)
	}
	return sync.OnceFunc(read)
}

func read() {
	readers.Lock()
	defer readers.Unlock()
	readers.count--
	if readers.count == 0 {
		cgo.GiveWay(0)
	}
}

// crowded reports whether threads are stopped inside hooks because they have no processor.
func (r *Recording) crowded() bool { return cgo.Crowd() > 2*runtime.NumCPU() }
