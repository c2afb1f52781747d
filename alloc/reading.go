//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/background"
)

// Among hundreds of busy threads a reader's own thread gets a processor for some milliseconds a second, so 100 ms of work
// take half a minute. If many such threads are seen at the gate, they are asked to give way.

// mostWay is the longest time that threads give way to one profile.
const mostWay = 2 * time.Second

// lookAgain is how often threads at the gate are counted while a profile is written, until they are found to be many. At one moment
// most of them may pause, or wait for a processor outside.
const lookAgain = 5 * time.Millisecond

// stillMany is how long threads that gave way to a profile count as many when the next one begins: those that pause are outside.
const stillMany = 100 * time.Millisecond

// readers counts the callers that threads may have to give way to.
var readers struct {
	sync.Mutex
	count int
	asked bool        // threads give way
	every int         // after so many events
	ended time.Time   // when they last ceased to
	again *time.Timer // for the next look; nil before the first
}

// Reading asks the program's threads to give way to the caller, if many more than there are processors are recording, until
// done is called. It is for the time of writing a profile.
func (r *Recording) Reading() (done func()) {
	readers.Lock()
	defer readers.Unlock()
	readers.count++
	look()
	return sync.OnceFunc(read)
}

// look asks threads to give way if they are many, or has it looked again. With readers locked.
func look() {
	crowd := cgo.Crowd()
	switch {
	case crowded(crowd):
		readers.asked, readers.every = true, eventsBetween(crowd)
		cgo.GiveWay(mostWay, readers.every)
	case time.Since(readers.ended) < stillMany:
		readers.asked = true
		cgo.GiveWay(mostWay, readers.every)
	case readers.asked:
	case readers.again == nil:
		readers.again = time.AfterFunc(lookAgain, lookOnce)
	default:
		readers.again.Reset(lookAgain)
	}
}

func lookOnce() {
	background.Run("counting threads", func() {
		readers.Lock()
		defer readers.Unlock()
		if readers.count > 0 && !readers.asked {
			look()
		}
	}, nil)
}

func read() {
	readers.Lock()
	defer readers.Unlock()
	readers.count--
	if readers.count > 0 {
		return
	}
	if readers.asked {
		readers.ended = time.Now()
	}
	readers.asked = false
	cgo.GiveWay(0, 1)
}

// crowded reports whether so many threads inside hooks must be stopped there because they have no processor.
func crowded(inside int) bool { return inside > 2*runtime.NumCPU() }

// eventsBetween returns how many events each of so many threads has between two pauses. An event takes a microsecond or two where
// threads take turns on few processors, and a pause takes 10,000: so all threads together keep a quarter of the processors busy. Where
// they are hundreds, the switch to a thread takes as long as four of its events, and there is no use in fewer.
func eventsBetween(inside int) int { return max(4, 1250*runtime.NumCPU()/max(inside, 1)) }
