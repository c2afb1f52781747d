package account

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Two roads: the kernel's two numbers, and its list of mappings.
func TestTheBreakIsWhatTheKernelListsAsHeap(t *testing.T) {
	start, known := startOfBreak("/proc")
	got, err := Break("/proc")
	listed, listErr := listedBreak("/proc/self/maps")
	if !known || start == 0 || err != nil || listErr != nil {
		t.Fatalf("%#x, %v, %v, %v", start, known, err, listErr)
	}
	if len(listed) == 0 && len(got) == 0 {
		return // a program that has no malloc need not have moved its break
	}
	// The kernel joins memory beside it that is alike, as the file's own variables.
	if len(got) != 1 || !slices.ContainsFunc(listed, func(r Range) bool { return r.Start <= got[0].Start && got[0].Limit <= r.Limit }) {
		t.Errorf("%#x, listed are %#x", got, listed)
	}
}

func TestTheBreakIsLookedForInTheListWhereTheKernelDoesNotSay(t *testing.T) {
	for _, stat := range []string{"", "1 (a) b) S 1 2 3\n", "1 (x) R" + string(slices.Repeat([]byte(" 0"), 50)) + "\n"} {
		proc := statm(t, "")
		for name, text := range map[string]string{"stat": stat,
			"maps": "10000-20000 r-xp 00000000 fe:00 12    /a\n20000-25000 rw-p 00000000 00:00 0     [heap]\n"} {
			if err := os.WriteFile(filepath.Join(proc, "self", name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := Break(proc); err != nil || !slices.Equal(got, []Range{{0x20000, 0x25000}}) {
			t.Errorf("%.20q: %#x, %v", stat, got, err)
		}
	}
	if _, err := Break(t.TempDir()); err == nil {
		t.Error("without any file there is no error")
	}
}
