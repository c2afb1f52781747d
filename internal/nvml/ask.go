//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package nvml

// #include "ask.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
)

var errNoAnswer = errors.New("the driver has not answered yet")

var ends = map[C.enum_nvml_end]error{
	C.NVML_NO_CUDA:    errors.New("the program has not loaded libcuda.so.1"),
	C.NVML_NOT_READY:  errors.New("CUDA's driver is not ready"),
	C.NVML_NO_CARD:    errors.New("CUDA has no such card"),
	C.NVML_NO_LIBRARY: errors.New("libnvidia-ml.so.1 cannot be loaded"),
	C.NVML_REFUSED:    errors.New("NVML does not say it"),
}

// limit is how long Ask waits. Tests change it.
var limit = time.Second

// asking is held while the driver is asked, also when nobody waits for the answer any more.
var asking sync.Mutex

// Ask returns what the driver says of the card that CUDA has under a number in this process.
func Ask(number int) (Card, error) {
	if !asking.TryLock() {
		return Card{}, errNoAnswer
	}
	return background.Within(limit, "the driver of a card", func() (Card, error) {
		defer asking.Unlock()
		return ask(number)
	}, nil)
}

func ask(number int) (Card, error) {
	var c C.struct_nvml_card
	if end := C.cgoheap_nvml_ask(C.int(number), &c); end != C.NVML_ANSWERED {
		return Card{}, fmt.Errorf("GPU %d: %w", number, ends[end])
	}
	card := Card{Process: Unknown, Used: int64(c.used), Total: int64(c.total)}
	if c.process != C.NVML_UNKNOWN {
		card.Process = int64(c.process)
	}
	return card, nil
}
