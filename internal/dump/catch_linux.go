//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"github.com/cgoheap/cgoheap/cgo"
)

// caught are the signals of a dumper, by who delivers them.
type caught struct {
	signals []syscall.Signal // cgo notes them
	others  []os.Signal      // left to os/signal
	waited  []os.Signal      // left to the program, which may wait for them
	forget  func()
}

// catchAll arranges that call is called soon after one of the signals arrived, and changed within a second after somebody changed
// what one of them does.
func catchAll(signals []os.Signal, call, changed func()) (c caught) {
	c.forget = func() {}
	if len(signals) == 0 {
		return c
	}
	stop, err := cgo.Await(cgo.WakeSignal|cgo.WakeHandler, func(why cgo.Reason) {
		if why&cgo.WakeSignal != 0 {
			call()
		}
		if why&cgo.WakeHandler != 0 {
			changed()
		}
	})
	if err != nil {
		c.others = signals
		return c
	}
	var numbers []syscall.Signal
	for _, s := range signals {
		number, ok := s.(syscall.Signal)
		switch {
		case ok && cgo.Waited(number):
			c.waited = append(c.waited, s)
		case ok && cgo.Catch(number):
			c.signals = append(c.signals, number)
		default:
			c.others = append(c.others, s)
		}
		numbers = append(numbers, number)
	}
	unwatch := cgo.WatchSignals(numbers)
	c.forget = func() {
		unwatch()
		stop()
	}
	return c
}

// lost says why a signal makes no dump; nil if it does.
func (c caught) lost(s os.Signal) error {
	number, ok := s.(syscall.Signal)
	if !ok {
		return nil
	}
	if slices.Contains(c.waited, s) {
		return errors.New("the program blocks the signal, and may wait for it by sigwait or a descriptor: do not send it")
	}
	return cgo.Lost(number, slices.Contains(c.others, s))
}

func (c caught) release() {
	for _, s := range c.signals {
		cgo.Release(s)
	}
	c.forget()
}

func takeCaught() []syscall.Signal { return cgo.TakeCaught() }
