//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "waker.h"
import "C"

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	_ "unsafe" // for go:linkname

	"github.com/cgoheap/cgoheap/internal/background"
)

// Reason is why C asks for Go code, or several reasons.
type Reason uint32

// The reasons.
const (
	WakeUnknown Reason = C.WAKE_UNKNOWN // a stack met code of no known module, which may be code that the program made
	WakeLoaded  Reason = C.WAKE_LOADED  // the loader has opened or closed libraries
	WakeSignal  Reason = C.WAKE_SIGNAL  // a signal was caught
	WakeHandler Reason = C.WAKE_HANDLER // somebody has changed what a watched signal does
)

// answer is a function that is called for some reasons.
type answer struct {
	reasons Reason
	call    func(Reason)
}

// waker keeps the answers. The thread exists while there is an answer.
var waker struct {
	sync.Mutex
	answers atomic.Pointer[[]*answer]
}

// What the thread reports. They are made here because no other goroutine may use a channel of a testing/synctest bubble.
var wakerRuns, wakerEnded = make(chan struct{}), make(chan struct{}, 1)

// Await arranges that call is called when C asks for one of the reasons, with the reasons that C gave. After stop, it may be
// called for one more moment. It is called on the waker's thread and must return at once. The error reports that no thread
// could be created.
func Await(reasons Reason, call func(Reason)) (stop func(), err error) {
	waker.Lock()
	defer waker.Unlock()
	answers := currentAnswers()
	if len(answers) == 0 {
		if failed := C.waker_prepare(); failed != 0 {
			return nil, fmt.Errorf("a thread that waits for the profiler's hooks: %w", syscall.Errno(failed))
		}
		beginWaker()
	}
	a := &answer{reasons, call}
	answers = append(slices.Clone(answers), a)
	waker.answers.Store(&answers)
	return sync.OnceFunc(func() { endAwait(a) }), nil
}

func endAwait(a *answer) {
	waker.Lock()
	defer waker.Unlock()
	answers := slices.DeleteFunc(slices.Clone(currentAnswers()), func(other *answer) bool { return other == a })
	waker.answers.Store(&answers)
	if len(answers) == 0 {
		C.waker_end()
		<-wakerEnded
		TakeCaught() // nobody else passes on what came meanwhile
	}
}

func currentAnswers() []*answer {
	if answers := waker.answers.Load(); answers != nil {
		return *answers
	}
	return nil
}

// beginWaker starts the thread and waits until it runs: a goroutine that is ready to run when main begins would cost main its
// thread, at the first long system call. The caller keeps its thread, too.
func beginWaker() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	go wakeAndAnswer()
	<-wakerRuns
}

// wakeAndAnswer is what the thread runs. The runtime takes a function with such a name for its own: the goroutine is neither in
// the program's count of goroutines nor in their stacks, and belongs to no bubble of testing/synctest.
//
//go:linkname wakeAndAnswer runtime.cgoheapWakeAndAnswer
func wakeAndAnswer() {
	runtime.LockOSThread() // so that the thread ends with the goroutine
	if !bool(C.waker_begin()) {
		defer runtime.UnlockOSThread() // the main thread must not end
	}
	wakerRuns <- struct{}{}
	for reasons := C.waker_wait(); reasons != 0; reasons = C.waker_wait() {
		woken(Reason(reasons))
	}
	wakerEnded <- struct{}{}
}

func woken(reasons Reason) {
	for _, a := range currentAnswers() {
		if asked := reasons & a.reasons; asked != 0 {
			_ = background.Guard("the waker", func() { a.call(asked) }) // it starts a task, which reports its own panics
		}
	}
}
