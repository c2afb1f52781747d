//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

func TestTablesThatNobodyUsesCountAgainstNoLimit(t *testing.T) {
	o := everything
	o.TableBytes = 8 << 30
	before := dataBytes(t)
	r := start(t, o)
	if taken := dataBytes(t) - before; taken > 1<<30 {
		t.Errorf("%d bytes that may be written were taken", taken)
	}
	perform(func() { victim.Free(victim.Malloc(1013)) })
	recordedSites(t, r, map[string]stack.Values{"victim_malloc": passed(1, 1013)})
}

// dataBytes returns what counts against RLIMIT_DATA.
func dataBytes(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmData:")
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

func TestTablesTakeHalfOfTheAddressesThatAreLeft(t *testing.T) {
	for _, c := range []struct {
		limit, taken, tables int64
		refused              bool
	}{{1000, 400, 300, false}, {1000, 400, 301, true}, {1000, 1200, 1, true}} {
		if err := addressesUnder(c.limit, c.taken, c.tables); (err != nil) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := addressesUnder(1000, 400, 301); !strings.Contains(err.Error(), "Config.TableBytes (with auto, CGOHEAP_TABLE_BYTES) to 300 or less") {
		t.Error(err)
	}
	if n := addressBytes(); n < 1<<20 {
		t.Errorf("%d bytes of addresses", n)
	}
}
