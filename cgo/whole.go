//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import "runtime"

// A plugin that contains this package too has copies of the Go code and of the C. The Go code of both works with the
// program's variables, in which the addresses of C functions are, so that one C serves all: the program's. But the linker
// drops from a program what it does not call. A plugin that calls such a function would take the variable of its own, and
// with it C that knows nothing of the recording. So the package is linked as a whole or not at all.

// All exported functions of this package that may call C.
func init() {
	runtime.KeepAlive([]any{
		AllowObjects, Await, Catch, CompareRanges, Counted, Crowd, FillGate, FindGoCode, Forever, GiveWay, Hold, HoldPeak, Images,
		InUse, Joined, LabelGoroutines, Labels, Lifetimes, Listed, MissedPeak, NewIndex, NewModule, NewRange, ParseObject,
		Prepare, Probe, Publish, ReadLabels, ReadLoads, Rearm, Region, Release, ReleasePeak, Reserve, ResetPeak, RuleAt, Seen,
		Segments, SetSampleBytes, Settle, SortLabels, Start, Stop, Supported, TakeCaught, Ticks,
		Image.Rule, (*Loads).Count, (*Object).During,
	})
}
