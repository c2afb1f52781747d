package mappings

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// Both segments have the page at offset 0x1000. Nothing but the permission says which of them the mapping is of.
func TestAPageOfTwoSegmentsIsOfTheOneWithItsPermission(t *testing.T) {
	data := elffile.Segment{Filesz: 0x1500, Memsz: 0x1500}
	code := elffile.Segment{Offset: 0x1500, Vaddr: 0x2500, Filesz: 0x1000, Memsz: 0x1000, Exec: true}
	for _, segments := range [][]elffile.Segment{{data, code}, {code, data}} {
		for permissions, bias := range map[string]uint64{"r-xp": 0x7f000000 - 0x1000 - 0x1000, "r--p": 0x7f000000 - 0x1000} {
			got := segmentBiases(segments, []mapping{{Start: 0x7f000000, Limit: 0x7f001000, Perms: permissions, Offset: 0x1000}})
			if got[0x7f000000] != bias {
				t.Errorf("%s: bias %#x, want %#x", permissions, got[0x7f000000], bias)
			}
		}
	}
}
