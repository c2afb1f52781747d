package mappings

import (
	"os"
	"testing"
)

// Two roads: the headers of the files, and the kernel's list.
func TestWhatIsLoadedCoversWhatIsMapped(t *testing.T) {
	modules, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	page := RuntimeAddr(os.Getpagesize())
	for i := range modules {
		m := &modules[i]
		loaded := m.Loaded()
		for _, mapped := range m.mapped {
			covered := false
			for _, l := range loaded {
				covered = covered || l.Start&^(page-1) <= mapped.Start && mapped.Limit <= (l.Limit+page-1)&^(page-1)
			}
			if !covered && mapped.readable() && m.Path != vdsoPath { // between segments there is memory without any rights
				t.Errorf("%s: %#x-%#x is in none of %#x", m.Path, mapped.Start, mapped.Limit, loaded)
			}
		}
	}
	gone := Module{Path: "/no/such/file", mapped: []mapping{{Start: page, Limit: 2 * page}}}
	if got := gone.Loaded(); len(got) != 1 || got[0] != (Range{page, 2 * page}) {
		t.Errorf("%#x of a file that is gone", got)
	}
}
