//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "peak.h"
import "C"

// HoldPeak freezes the peak and completes every site's share of it, until ReleasePeak, which must be called. One caller at a
// time.
func HoldPeak() { C.peak_freeze() }

// ReleasePeak ends HoldPeak.
func ReleasePeak() { C.peak_thaw() }

// MissedPeak returns the highest total in bytes that passed while the peak was held and has not been reached since; 0 if
// none did.
func MissedPeak() uint64 { return uint64(C.peak_read_missed()) }

// ResetPeak makes the memory in use now the peak. It must not be called while the peak is held.
func ResetPeak() { C.peak_reset() }

// InUse returns the bytes in use at a moment during the call, in units of 2^-4. One caller at a time of this and all above.
func InUse() uint64 { return uint64(C.peak_total()) }
