//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"os"
	"syscall"

	"github.com/cgoheap/cgoheap/cgo"
)

// caught are the signals that cgo notes.
type caught struct {
	signals []syscall.Signal
	forget  func()
}

// catchAll arranges that call is called soon after one of the signals arrived. It returns the signals that cgo cannot catch.
func catchAll(signals []os.Signal, call func()) (c caught, others []os.Signal) {
	var err error
	if c.forget, err = cgo.Await(cgo.WakeSignal, func(cgo.Reason) { call() }); err != nil {
		return caught{forget: func() {}}, signals
	}
	for _, s := range signals {
		if number, ok := s.(syscall.Signal); ok && cgo.Catch(number) {
			c.signals = append(c.signals, number)
		} else {
			others = append(others, s)
		}
	}
	if len(c.signals) == 0 {
		c.forget()
	}
	return c, others
}

func (c caught) release() {
	for _, s := range c.signals {
		cgo.Release(s)
	}
	c.forget()
}

func takeCaught() []syscall.Signal { return cgo.TakeCaught() }
