package symbolize

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

var waste []byte

// What Go's heap has free is resident, too. The debug data of a module must not come on top of it.
func TestFreeMemoryIsReturnedBeforeDebugDataIsRead(t *testing.T) {
	library := packed(t)
	addresses := every(97, everyByte(t, library))
	runtime.GC()
	scanned := []metrics.Sample{{Name: "/gc/scan/total:bytes"}}
	if metrics.Read(scanned); scanned[0].Value.Uint64() > 3<<20 {
		t.Fatalf("the collector scans %d bytes: internal/scratch takes this heap for a large one", scanned[0].Value.Uint64())
	}
	waste = make([]byte, 1<<20)
	waste = nil
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	New(Options{}).Resolve(module(library), addresses[:1])
	if runtime.ReadMemStats(&after); after.NumForcedGC == before.NumForcedGC {
		t.Error("nothing was returned")
	}
}
