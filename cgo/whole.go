//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import "runtime"

// A plugin that contains this package too has copies of the Go code and of the C. The Go code of both works with the
// program's variables, in which the addresses of C functions are, so that one C serves all: the program's. But the linker
// drops from a program what it does not call. A plugin that calls such a function would use its own variable, and with it C
// that does not share the recording. So the package is linked as a whole or not at all.

// All exported functions of this package that may call C.
func init() {
	runtime.KeepAlive([]any{
		Allocated, Await, BoundsWordsHere, BoxState, BreakMoved, BroughtAllocators, Catch, CompareRanges, Counted, Crowd,
		Describe, FindGoCode, ForgetEndings, Freed, GiveWay, GoPages, HoldPeak, Images, InUse, LabelGoroutines, LoadedBiases,
		Lost, MissedPeak, NewIndex, NewModule, NewRange, NoteEndings, PermanentBiases, Pool, Prepare,
		Probe, Publish, ReadLabels, ReadLoads, ReadMapped, RealFunction, RealMalloc, RealPair, Rearm, Region, Release, ReleasePeak,
		Reserve, ReserveNotes, ResetPeak, Scratch, Segments, SetSampleBytes, Settle, Start, Stop, Supported, TakeCaught,
		ThreadLocals, Ticks, UnseenOperators, Waited, WatchMapped, WatchSignals,
		Image.Rule, (*Loads).Count, (*Loads).During,
	})
}
