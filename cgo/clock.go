//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "clock.h"
import "C"

import (
	"time"

	"github.com/cgoheap/cgoheap/internal/layout"
)

// Tick is the unit of the times at which blocks were allocated.
const Tick time.Duration = layout.Tick

// Ticks returns the ticks since the recording began, with which blocks are stamped.
func Ticks() uint64 { return uint64(C.clock_ticks()) }
